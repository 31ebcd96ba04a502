/**
 * Loads execa when it is needed. Mocha requires test files, and execa can only be imported: a file that names it at its top is
 * read twice, with a second copy of every helper and of what that keeps, such as the stacks that files share.
 */
export const loadExeca = () => import('execa')
