export const USER_ROLES = ['admin', 'member'] as const

export type UserRole = (typeof USER_ROLES)[number]

/** A person of a company, with the argon2id hash of the password. */
export type User = {
  readonly id: string
  readonly companyId: string
  readonly email: string
  readonly name: string
  readonly passwordHash: string
  readonly role: UserRole
  readonly leftAt: Date | null
  readonly createdAt: Date
}
