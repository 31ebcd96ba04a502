import js from '@eslint/js'
import prettier from 'eslint-config-prettier'
import tseslint from 'typescript-eslint'

/**
 * The rooms of src/ and the arrows between them (docs/architecture.md shows the same list). A file of a room may
 * import its own room and the ones named here, nothing else of ours. test/fences.test.ts proves that it bites.
 */
const ARROWS = {
  domain: [],
  db: ['domain'],
  presenters: ['domain'],
  workflows: ['domain'],
  activities: ['domain', 'db', 'system', 'contract'],
  relay: ['domain', 'db', 'system', 'contract'],
  operations: ['domain', 'db', 'presenters', 'contract'],
  api: ['operations', 'domain', 'presenters', 'db'],
  cli: ['operations', 'domain', 'presenters', 'db'],
}
const ROOMS = ['domain', 'db', 'presenters', 'workflows', 'activities', 'relay', 'operations', 'api', 'cli']

/** Type-only imports that any room but domain and workflows may make. */
const SHARED_TYPES = ['**/deps.js', '**/config.js', '**/log.js', '**/metrics.js', '**/doorbell.js']

function fence(room, allowed = ARROWS[room], files = [`src/${room}/**/*.ts`]) {
  const patterns = ROOMS.filter((other) => other !== room && !allowed.includes(other)).map((other) => {
    const group = [
      `../${other}/*`,
      `../../${other}/*`,
      `../../../${other}/*`,
      `../${other}/**`,
      `../../${other}/**`,
    ]
    if (other === 'workflows' && allowed.includes('contract')) group.push('!**/workflows/contract.js')
    return {
      group,
      message: `The room ${room} may not import ${other} (docs/architecture.md, arrows).`,
      allowTypeImports: room === 'workflows' && other === 'activities',
    }
  })
  if (room !== 'db' && !allowed.includes('system')) {
    patterns.push({
      group: ['**/db/system/*', '**/db/system/**'],
      message: 'db/system spans tenants: only authentication, relay and activities import it.',
    })
  }
  const typesOnly = room !== 'domain' && room !== 'workflows'
  patterns.push({
    group: [...SHARED_TYPES, '**/server.js', '**/worker.js', '**/cli.js'],
    message: 'deps and its parts come in as arguments; import their types only.',
    allowTypeImports: typesOnly,
  })
  if (room === 'domain' || room === 'workflows') {
    patterns.push({
      group:
        room === 'domain'
          ? [
              'node:*',
              '!node:crypto',
              '!node:net',
              '!node:buffer',
              'knex',
              'koa',
              'pino',
              'undici',
              '@temporalio/*',
            ]
          : ['node:*', 'knex', 'koa', 'pino', 'undici', 'joi', 'ipaddr.js'],
      message: `${room} does no I/O.`,
    })
  }
  return {
    files,
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  }
}

/** Authentication looks a key up across tenants: the one file of the api that may import db/system. */
const AUTHENTICATION = 'src/api/auth/authenticate.ts'

export default tseslint.config(
  { ignores: ['node_modules', 'dist', '.data', 'test/histories', 'coverage'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/array-type': ['error', { default: 'array' }],
      // tsc wants brackets for names that an index signature gives (noPropertyAccessFromIndexSignature).
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // knex's query builders are thenables: a callback that returns one is no forgotten promise.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
    },
  },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'scripts/**/*.mjs'],
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/config/index.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'src/config/index.ts is the only reader of the environment.',
        },
      ],
    },
  },
  ...Object.keys(ARROWS).map((room) => fence(room)),
  fence('api', [...ARROWS.api, 'system'], [AUTHENTICATION]),
  {
    files: ['src/*.ts'],
    ignores: ['src/process/temporal/worker.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@temporalio/worker'],
              message:
                'It is large and native: only src/process/temporal/worker.ts loads it, so that api and command line do not.',
              allowTypeImports: true,
            },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Tests read answers as JSON without a type and assert what they read.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['scripts/**/*.mjs', 'eslint.config.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        setImmediate: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
        AbortController: 'readonly',
        performance: 'readonly',
      },
    },
    // Works run side by side there: no sum may be read before an await and written after it.
    rules: { 'no-console': 'off', 'require-atomic-updates': 'error' },
  },
  prettier,
)
