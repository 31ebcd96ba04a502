import { splitAtSrc } from './arrows.mjs'
import { CARRIERS, EXCEPTIONS, PART } from './tenant-exceptions.mjs'

/** Functions that make a handle or run any statement on one, and the files below src/ that may import each. */
const MAKERS = {
  connect: ['deps/deps.ts', 'db/schema.ts'],
  buildDeps: ['run-api.ts', 'run-worker.ts', 'cli/run.ts'],
  run: ['db/'],
  runIn: ['db/'],
  execute: ['db/'],
  readRows: ['db/'],
  inBatchTransaction: ['db/', 'attempts/record-batch.ts'],
}

/** The files that export the functions of MAKERS. */
const MADE_IN = /\/(connection|statements|deps)\.ts$/

/** A parameter that is a handle but no SystemDb, by its type, or without a type by its name. */
const BARE_HANDLE =
  /^(?:(?:db|trx|batchDb)\s*(?:=|$)|\w+\s*:\s*(?:Db|Knex(?:\.Transaction)?|Run|Transaction)(?:<(?!SystemDb\b)[^]*>)?\s*(?:=|$))/

/** A parameter that says whose rows the query is about: a `companyId`, or a type that carries one. */
const NAMES_TENANT = new RegExp(`\\b(?:companyId|company_id|${CARRIERS.join('|')})\\b`)

/**
 * An exported query of src/db takes a tenant or a SystemDb, and only the wiring makes a SystemDb.
 *
 * @type {import('oxlint/plugins-dev').Rule}
 */
export const systemDbRule = {
  meta: {
    messages: {
      query:
        '{{name}} takes neither a tenant nor a SystemDb: anybody who has a Db could read every company by it.',
      inPlace: 'Export it where it is declared, so that its parameters are checked.',
      stale: '{{name}} is no exception any more: take it out of lint/tenant-exceptions.mjs.',
      part: '{{name}} is a part of the queries of src/db: call one that takes a tenant.',
      maker: 'Only {{files}} may import {{name}}.',
      cast: 'A Db must not be turned into a {{name}}: take one as an argument.',
    },
  },
  create(context) {
    const [, file] = splitAtSrc(context.filename)
    const isQueries = /^db\/(?!connection\/|migrations\/)/.test(file)
    const own = EXCEPTIONS.filter((one) => `db/${one.file}` === file)
    const exceptions = new Set(own.flatMap(({ queries }) => queries.split(' ')))
    const listed = new Set()

    function checkQuery(node, name) {
      const params = node.params.map((param) => context.sourceCode.getText(param))
      if (!params.some((param) => BARE_HANDLE.test(param)) || NAMES_TENANT.test(params.join())) return
      if (exceptions.has(name)) listed.add(name)
      else context.report({ node, messageId: 'query', data: { name } })
    }

    return {
      ExportNamedDeclaration({ declaration, specifiers, source }) {
        if (!isQueries) return
        if (!source && specifiers.length > 0) context.report({ node: specifiers[0], messageId: 'inPlace' })
        for (const [name, node] of functionsIn(declaration)) checkQuery(node, name)
      },
      ExportDefaultDeclaration(node) {
        if (isQueries) context.report({ node, messageId: 'inPlace' })
      },
      'Program:exit'(node) {
        for (const name of exceptions) {
          if (!listed.has(name)) context.report({ node, messageId: 'stale', data: { name } })
        }
      },
      ImportSpecifier(node) {
        const [name, from] = [node.imported.name, node.parent.source.value]
        const isPart = EXCEPTIONS.some((one) => one.why === PART && one.queries === name)
        if (isPart && !file.startsWith('db/')) context.report({ node, messageId: 'part', data: { name } })
        const files = MADE_IN.test(from) ? MAKERS[name] : undefined
        if (files?.some((one) => file.startsWith(one)) === false)
          context.report({ node, messageId: 'maker', data: { name, files: files.join(' and ') } })
      },
      TSAsExpression(node) {
        const name = node.typeAnnotation.typeName?.name
        if (/^(System(Db|Deps)|Transaction|Run)$/.test(name) && !file.startsWith('db/connection/'))
          context.report({ node, messageId: 'cast', data: { name } })
      },
    }
  },
}

/** The outermost functions of an exported declaration, each with the name under which it is exported. */
function functionsIn(node, name = '') {
  if (node === null || typeof node !== 'object') return []
  const own = node.id?.name ?? name
  if (/Function(Declaration|Expression)$/.test(node.type)) return [[own, node]]
  return Object.entries(node).flatMap(([key, child]) => (key === 'parent' ? [] : functionsIn(child, own)))
}
