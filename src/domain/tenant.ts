export const ENVIRONMENTS = ['live', 'test'] as const

export type Environment = (typeof ENVIRONMENTS)[number]

/** Who owns a row: the company and the environment of the key. What a `test` key writes, only `test` keys see. */
export type Tenant = { readonly companyId: string; readonly environment: Environment }

/** A company as the service knows it. */
export type Company = {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  /** Since when it is suspended; null: it is not. */
  readonly suspendedAt: Date | null
  /** Since when its users need a second factor; null: they do not. */
  readonly secondFactorRequiredAt: Date | null
}

/** A text that only this tenant has, for maps and for sorting. */
export const tenantKey = ({ companyId, environment }: Tenant): string => `${companyId} ${environment}`
