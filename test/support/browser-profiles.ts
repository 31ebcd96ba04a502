import type { BrowserContext } from 'playwright-core'

/** Profiles that one test after the other uses. A tab that nobody looks at keeps the process of each alive. */
export class Profiles {
  readonly #used: BrowserContext[] = []
  readonly #free: BrowserContext[] = []

  /** A profile without cookies, tabs in use and rights, which is the caller's until `clear`. */
  async take(make: () => Promise<BrowserContext>): Promise<BrowserContext> {
    const context = this.#free.pop() ?? (await make())
    this.#used.push(context)
    if (context.pages().length === 0) await (await context.newPage()).goto('/healthz')
    return context
  }

  /** Takes back all profiles, without what their users left. */
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
