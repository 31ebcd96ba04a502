export const ENVIRONMENTS = ['live', 'test'] as const

export type Environment = (typeof ENVIRONMENTS)[number]

/** The owner of a row: a company, and the environment of the key. Only `test` keys see what a `test` key wrote. */
export type Tenant = { readonly companyId: string; readonly environment: Environment }

/** A company as the service knows it. */
export type Company = {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  /** Since when it is suspended; null if it is not. */
  readonly suspendedAt: Date | null
  /** Since when its users need a second factor; null if they do not. */
  readonly secondFactorRequiredAt: Date | null
}

/** A text that identifies the tenant, for maps and for sorting. */
export const tenantKey = ({ companyId, environment }: Tenant): string => `${companyId} ${environment}`
