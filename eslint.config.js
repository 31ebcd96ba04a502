import js from '@eslint/js'
import prettier from 'eslint-config-prettier'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'
import { fenceRule } from './scripts/lib/fence-rule.mjs'

/** Keeps packages out of a room that does no input or output; test/fences.test.ts tries it. */
const withoutPackages = (room, group) => ({
  files: [`src/${room}/**/*.ts`],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      { patterns: [{ group, message: `${room} does no input or output.` }] },
    ],
  },
})

export default tseslint.config(
  { ignores: ['node_modules', 'dist', '.data', 'test/histories', 'coverage'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
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
      // `const { id, ...rest } = row` is how a field is left out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // tsc wants brackets for names that an index signature gives (noPropertyAccessFromIndexSignature).
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // knex's query builders are thenables: a callback that returns one is no forgotten promise.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
    },
  },
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'web/**/*.ts', 'web/**/*.tsx', 'scripts/**/*.mjs'],
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
  {
    files: ['src/**/*.ts'],
    plugins: { house: { rules: { fence: fenceRule } } },
    rules: { 'house/fence': 'error' },
  },
  withoutPackages('domain', [
    'node:*',
    '!node:crypto',
    '!node:net',
    '!node:buffer',
    'knex',
    'koa',
    'pino',
    'undici',
    '@temporalio/*',
  ]),
  withoutPackages('presenters', [
    'node:*',
    '!node:buffer',
    '!node:crypto',
    'knex',
    'koa',
    'pino',
    'undici',
    '@temporalio/*',
  ]),
  withoutPackages('workflows', ['node:*', 'knex', 'koa', 'pino', 'undici', 'joi', 'ipaddr.js']),
  {
    files: ['web/**/*.ts', 'web/**/*.tsx'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      // The page and the service know each other by the wire only.
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/src/**', 'node:*'],
              message: 'web imports nothing of the service, and nothing of Node.',
            },
          ],
        },
      ],
    },
  },
  {
    // Runs in Node, at the time of the build.
    files: ['web/vite.config.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
  {
    files: ['src/*.ts', 'src/process/**/*.ts'],
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
