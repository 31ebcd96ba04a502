/**
 * The rooms of src/ and what the files of each may import besides their own room: the one list of the arrows.
 * house/fence in .oxlintrc.json enforces it, test/unit/fences.test.ts tries every pair, docs/architecture.md shows it.
 *
 * A name stands for the file or the folder of that path below src/, without what has an entry of its own: `operations` does not
 * open `operations/sessions`. `types of x` opens x to type-only imports.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const ARROWS = {
  domain: [],
  config: ['domain'],
  db: ['domain'],
  deps: ['config', 'domain', 'db'],
  presenters: ['domain'],
  sending: ['domain'],
  'workflows/contract': ['types of domain'],
  attempts: ['domain', 'db', 'sending', 'deps'],
  activities: ['attempts', 'domain', 'db', 'workflows/contract', 'deps'],
  workflows: ['workflows/contract', 'domain'],
  relay: ['types of attempts', 'domain', 'db', 'workflows/contract', 'deps', 'process/temporal/errors'],
  upkeep: ['domain', 'db', 'presenters', 'sending', 'deps'],
  operations: ['domain', 'db', 'presenters', 'workflows/contract', 'deps'],
  'operations/sessions': ['operations', 'domain', 'db', 'deps'],
  'operations/operator': ['domain', 'db', 'deps'],
  api: ['api/auth', 'operations', 'domain', 'presenters', 'deps', 'types of process/health'],
  'api/auth': ['api', 'operations', 'domain', 'presenters', 'db', 'deps'],
  console: ['api', 'api/auth', 'operations', 'operations/sessions', 'domain', 'presenters', 'deps'],
  cli: [
    'cli/schema',
    'listen',
    'operations',
    'operations/operator',
    'config',
    'domain',
    'presenters',
    'deps',
    'process',
  ],
  'cli/schema': ['cli', 'domain', 'db', 'deps'],
  // Whoever opens more here must keep knex and Temporal out of its file.
  listen: [
    'cli/command',
    'cli/parse',
    'cli/people/style',
    'cli/print',
    'cli/terminal',
    'domain',
    'sending/deadline',
  ],
  process: ['process/temporal/errors', 'deps', 'config', 'domain', 'db', 'workflows/contract'],
  'process/temporal/errors': [],
  'run-api.ts': ['api', 'api/auth', 'console', 'config', 'domain', 'process', 'deps'],
  'run-worker.ts': [
    'activities',
    'attempts',
    'relay',
    'upkeep',
    'config',
    'process',
    'deps',
    'workflows/contract',
  ],
  'server.ts': ['run-api.ts', 'config', 'deps', 'process'],
  'worker.ts': ['run-worker.ts', 'config', 'deps', 'process'],
  'cli.ts': ['cli', 'listen'],
}

const TYPES_OF = 'types of '

/**
 * The room of a file: the longest name of the list that its path begins with.
 *
 * @param {string} file path below src/, with forward slashes, for example `db/outbox/claims.ts`
 * @returns {string | undefined} undefined for a file that is in no room
 */
export function roomOf(file) {
  return Object.keys(ARROWS)
    .filter((room) => [room, `${room}.ts`].includes(file) || file.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0]
}

/**
 * Whether a file may import another one. A file in no room may import nothing, so that every room gets its entry here.
 *
 * @param {string} from path below src/
 * @param {string} to path below src/
 * @param {boolean} isTypeOnly
 * @returns {boolean}
 */
export function mayImport(from, to, isTypeOnly) {
  const [room, other] = [roomOf(from), roomOf(to)]
  if (room === undefined || other === undefined) return false
  if (room === other) return true
  const allowed = ARROWS[room] ?? []
  const opens = (/** @type {string} */ name) => name === other || (!(name in ARROWS) && `${name}.ts` === to)
  return allowed.some((name) =>
    name.startsWith(TYPES_OF) ? isTypeOnly && opens(name.slice(TYPES_OF.length)) : opens(name),
  )
}

/**
 * @param {string} file below src/, absolute
 * @returns {[src: string, file: string]} the path of src/ with its slash, and that of the file below it
 */
export function splitAtSrc(file) {
  const end = file.lastIndexOf('/src/') + '/src/'.length
  return [file.slice(0, end), file.slice(end)]
}
