export const ENVIRONMENTS = ['live', 'test'] as const

export type Environment = (typeof ENVIRONMENTS)[number]

/** Who owns a row: the company and the environment of the key. What a `test` key writes, only `test` keys see. */
export type Tenant = { readonly companyId: string; readonly environment: Environment }

/** A text that only this tenant has, for maps and for sorting. */
export const tenantKey = ({ companyId, environment }: Tenant): string => `${companyId} ${environment}`
