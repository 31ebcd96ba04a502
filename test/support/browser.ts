import { expect } from 'chai'
import { chromium, type BrowserContext, type ConsoleMessage, type Page } from 'playwright-core'
import { countBoot } from './environment.ts'
import { share } from './kept.ts'
import { useConsole, PASSWORD, type ConsoleInUse, type Person } from './console.ts'

type PageOptions = {
  readonly width?: number
  /** The URL of an api process other than the stack's. */
  readonly url?: string
}

/** A page of the console. */
export type ConsolePage = {
  readonly page: Page
  /** Loads a path below the company in an environment. */
  readonly open: (path: string, environment?: string) => Promise<void>
  /** Follows a link within the open page to a path below the company, without loading the page again. */
  readonly visit: (path: string) => Promise<void>
  readonly signIn: (email: string, password?: string) => Promise<void>
}

export type BrowserInUse = {
  readonly console: ConsoleInUse
  /** A page of a browser without cookies. */
  page(options?: PageOptions): Promise<ConsolePage>
  /** A page of a signed-in user. The browser and the user's client share the session. */
  pageOf(person: Pick<Person, 'client'>, options?: PageOptions): Promise<ConsolePage>
  /** A page of an admin of the test's company, signed in. It has loaded no screen yet. */
  admin(options?: PageOptions): Promise<ConsolePage & Person>
  /** What the pages of this test may log on purpose, apart from refusals of the api. */
  mayLog(pattern: RegExp): void
}

/** Browser profiles that tests reuse. An open idle tab keeps the renderer process of each profile alive. */
class Profiles {
  readonly #used: BrowserContext[] = []
  readonly #free: BrowserContext[] = []

  /** A profile without cookies, open tabs and permissions. The caller owns it until `clear`. */
  async take(make: () => Promise<BrowserContext>): Promise<BrowserContext> {
    const context = this.#free.pop() ?? (await make())
    this.#used.push(context)
    if (context.pages().length === 0) await (await context.newPage()).goto('/healthz')
    return context
  }

  /** Takes back all profiles and removes what their users left in them. */
  async clear(): Promise<void> {
    for (const context of this.#used.splice(0)) {
      const [kept, ...tabs] = context.pages()
      await Promise.all(tabs.map((tab) => tab.close()))
      await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)])
      await kept?.evaluate('localStorage.clear()')
      this.#free.push(context)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#free.splice(0).map((context) => context.close()))
  }
}

/** The browser for all files of a mocha process, because a start costs a second and a profile costs nothing. */
async function launch() {
  countBoot()
  const browser = await chromium.launch({
    executablePath: process.env['TEST_BROWSER'] ?? '/usr/bin/chromium',
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
      '--renderer-process-limit=1', // the tabs of a profile share a process
      '--js-flags=--no-opt --no-maglev', // no page lives long enough to gain what the optimizing compilers cost
    ],
  })
  return { browser, stop: () => browser.close() }
}

/**
 * Runs one browser for all files and gives each page its own profile without cookies. Later tests of a file reuse free
 * profiles, because the renderer has already compiled the scripts. After each test no page, tab or window may have met
 * a script error, an error in the console, or a violation of the content security policy.
 */
export function useBrowser(options?: Parameters<typeof useConsole>[0]): BrowserInUse {
  const console = useConsole(options)
  const contexts: BrowserContext[] = []
  const profiles = new Profiles()
  const faults: string[] = []
  const wanted: RegExp[] = []

  after(() => profiles.close())
  afterEach(async () => {
    await Promise.all([...contexts.splice(0).map((context) => context.close()), profiles.clear()])
    const patterns = wanted.splice(0)
    const unwanted = faults.splice(0).filter((fault) => !patterns.some((pattern) => pattern.test(fault)))
    expect(unwanted).to.deep.equal([])
  })

  const newContext = async ({ width = 1280, url }: PageOptions): Promise<BrowserContext> => {
    const { browser } = await share('browser', launch)
    const context = await browser.newContext({
      baseURL: url ?? console.stack.api.url,
      colorScheme: 'light',
      reducedMotion: 'reduce',
      viewport: { width, height: 900 },
    })
    context.setDefaultTimeout(10_000)
    await watch(context, faults)
    return context
  }

  const newPage: BrowserInUse['page'] = async (given = {}) => {
    const isUsual = Object.keys(given).length === 0
    const context = await (isUsual ? profiles.take(() => newContext({})) : newContext(given))
    if (!isUsual) contexts.push(context)
    const page = await context.newPage()
    const at = (path: string, environment = 'live') => `/console/c/${console.companyId}/${environment}${path}`
    return {
      page,
      open: async (path, environment) => void (await page.goto(at(path, environment))),
      visit: (path) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(at(path))})`),
      signIn: async (email, password) => {
        await giveCredentials(page, email, password)
        await page.getByRole('navigation', { name: 'Screens' }).waitFor()
      },
    }
  }

  const pageOf: BrowserInUse['pageOf'] = async ({ client }, given) => {
    const shown = await newPage(given)
    const value = client.cookie('sid')
    if (value === undefined) throw new Error('nobody is signed in')
    await shown.page.context().addCookies([{ name: 'sid', value, url: client.url, httpOnly: true }])
    return shown
  }

  return {
    console,
    page: newPage,
    pageOf,
    mayLog: (pattern) => void wanted.push(pattern),
    admin: async (given) => {
      const person = await console.person('admin')
      return { ...(await pageOf(person, given)), ...person }
    },
  }
}

/** Records errors on every page of a browser that no test may cause. */
async function watch(context: BrowserContext, faults: string[]): Promise<void> {
  context.on('weberror', (error) => faults.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error' && !isRefusal(message))
      faults.push(`${message.text()} ${message.location().url}`)
  })
  await context.exposeFunction('noteViolation', (text: string) => faults.push(text))
  await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    noteViolation('the policy forbids ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`)
}

/** Chromium logs every answer from 400 on and every call without an answer. Tests cause these on purpose at the api. */
const isRefusal = (message: ConsoleMessage): boolean =>
  message.text().startsWith('Failed to load resource') && message.location().url.includes('/console/api/')

/** Waits until a screen shows a text and has loaded all of its parts. */
export async function whenShown(page: Page, text: string): Promise<void> {
  await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

/** Fills in the form of the sign-in, and sends it. */
export async function giveCredentials(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel(/^Password/).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Holds back the page's calls to an address. @returns a function that releases them */
export async function holdCalls(page: Page, url: RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  await page.route(url, (route) => promise.then(() => route.continue()))
  return () => resolve(undefined)
}

/** Chooses an action of the menu of a webhook's page. */
export async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Menu of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

/** Fills in the form of a new key with the right to read everything. It does not press the button. */
export async function fillKey(page: Page, name: string): Promise<void> {
  await page.getByLabel(/^Name/).fill(name)
  await page.getByRole('checkbox', { name: /^read:all/ }).check()
}

/** Confirms that the secret shown once is stored, and closes the dialog. */
export async function storeSecret(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /stored/ }).check()
  await page.getByRole('button', { name: 'Done' }).click()
}

export const createKey = (page: Page): Promise<void> =>
  page.getByRole('button', { name: 'Create key' }).click()
