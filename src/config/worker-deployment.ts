import Joi from 'joi'

/** A version of Temporal's Worker Versioning: which deployment, and which build of it. */
export type WorkerDeployment = { readonly deploymentName: string; readonly buildId: string }

/** Such a version, `webhooks:2026-11-26.1`. Temporal takes neither a dot nor a colon in the name, and no `__` at the beginning. */
export const workerDeployment = Joi.string().custom((text: string, helpers) => {
  const [, deploymentName, buildId] = /^((?!__)[\w-]{1,100}):((?!__)[\w.+-]{1,100})$/.exec(text) ?? []
  return deploymentName !== undefined && buildId !== undefined
    ? { deploymentName, buildId }
    : helpers.message({
        custom:
          '{{#label}} must look like name:build, such as webhooks:2026-11-26.1, each of up to 100 letters, digits, "_" and "-"; the build may have "." and "+" too',
      })
})
