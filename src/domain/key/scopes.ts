/**
 * Every scope, with one line that says what it permits. The scopes come from the specification (Scopes). Its table lists
 * all but the last two; the text below the table names those two, for webhooks.
 */
const MEANINGS = {
  'read:all': 'Read all resources.',
  'write:all': 'Create, update and delete all resources.',
  'read:organizations': 'Read organizations.',
  'write:organizations': 'Create, update, delete organizations.',
  'read:contacts': 'Read contacts.',
  'write:contacts': 'Create, update, delete contacts.',
  'read:deals': 'Read deals.',
  'write:deals': 'Create, update, delete deals.',
  'read:activities': 'Read activities.',
  'write:activities': 'Create activities (calls, emails, meetings, notes).',
  'read:tasks': 'Read tasks.',
  'write:tasks': 'Create, update, delete tasks.',
  'admin:all': 'Full administrative access; equals all scopes combined.',
  'read:webhooks': 'Read webhooks and their deliveries.',
  'write:webhooks': 'Create, update, delete and test webhooks, replace their secrets, and retry deliveries.',
} as const

export type Scope = keyof typeof MEANINGS

/** All scopes that a key can hold: first those in the specification's table, in its order, then two for webhooks. */
export const SCOPES = Object.keys(MEANINGS) as readonly Scope[]

/** The families that the scopes name: the five families of records, and webhooks. */
export const FAMILIES = ['organizations', 'contacts', 'deals', 'activities', 'tasks', 'webhooks'] as const

export type Family = (typeof FAMILIES)[number]

/** Whether the text is a scope, spelled exactly. `READ:ALL` and `toString` are not scopes. */
export const isScope = (text: string): text is Scope => Object.hasOwn(MEANINGS, text)

/** What a scope permits, in one line for people. */
export const describeScope = (scope: Scope): string => MEANINGS[scope]

/**
 * For each required scope, the scopes that grant it: the scope itself, `admin:all`, and `read:all` or `write:all`,
 * depending on its verb.
 */
const GRANTED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  SCOPES.map((scope) => {
    const verb = scope.slice(0, scope.indexOf(':'))
    return [scope, new Set<string>([scope, 'admin:all', `${verb}:all`])]
  }),
)

/**
 * Whether the scopes of a key grant the required one. By the specification (Scopes), `read:all` includes all read scopes,
 * `write:all` all write scopes, and `admin:all` all scopes. No other scope includes another one. So a write scope does not
 * permit reading. A text of the key that is not a scope grants nothing. A required text that is not a scope is never granted.
 */
export function grants(scopes: readonly string[], required: Scope): boolean {
  const granting = GRANTED_BY.get(required)
  return granting !== undefined && scopes.some((scope) => granting.has(scope))
}

/**
 * Whether the key may write to at least one family, webhooks included. POST /api-v1-events checks this before it reads the
 * body, because only the body names the family. Then it checks the scope of that family.
 */
export const holdsAnyWrite = (scopes: readonly string[]): boolean =>
  FAMILIES.some((family) => grants(scopes, `write:${family}`))
