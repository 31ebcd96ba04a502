/** Every scope with its one-line meaning: spec, Scopes, and the two webhook scopes that the spec's table leaves out. */
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
  'write:webhooks': 'Create, update, delete, test and retry webhooks.',
} as const

export type Scope = keyof typeof MEANINGS

/** All scopes a key can hold, in the order of the spec's table. */
export const SCOPES = Object.keys(MEANINGS) as readonly Scope[]

/** The resource families named by the scopes. */
export const FAMILIES = ['organizations', 'contacts', 'deals', 'activities', 'tasks', 'webhooks'] as const

export type Family = (typeof FAMILIES)[number]

const KNOWN: ReadonlySet<string> = new Set(SCOPES)

/** Whether the text is a scope: exact spelling, so `READ:ALL` and `toString` are none. */
export const isScope = (text: string): text is Scope => KNOWN.has(text)

/** The spec's meaning of a scope, one line for people. */
export const describeScope = (scope: Scope): string => MEANINGS[scope]

/** For each required scope the ones that grant it: itself, admin:all, and the `all` scope of its own verb. */
const GRANTED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  SCOPES.map((scope) => {
    const verb = scope.slice(0, scope.indexOf(':'))
    return [scope, new Set<string>([scope, 'admin:all', `${verb}:all`])]
  }),
)

/**
 * Whether the scopes that a key holds cover the required one. Spec (Scopes): read:all implies every read, write:all every
 * write, admin:all everything. Nothing else implies anything, so a write scope never reads. A held text that is no scope
 * grants nothing, and nobody holds a required text that is no scope.
 */
export function grants(held: readonly string[], required: Scope): boolean {
  const granting = GRANTED_BY.get(required)
  return granting !== undefined && held.some((scope) => granting.has(scope))
}

/**
 * Whether the key may write to at least one family. POST /api-v1-events checks this first, because only its body tells
 * the family. It checks the exact family once the body is read.
 */
export const holdsAnyWrite = (held: readonly string[]): boolean =>
  FAMILIES.some((family) => grants(held, `write:${family}`))
