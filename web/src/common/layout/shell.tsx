import type { ReactNode } from 'react'
import { usePlace, useSession } from '../session/context.ts'
import { AccountBar } from './account-bar.tsx'
import { EnvironmentSwitch } from './environment-switch.tsx'
import { Navigation } from './navigation.tsx'

/** The frame of all screens: where one is, where one can go, and who one is. */
export function Shell({ children }: { children: ReactNode }) {
  const { environment } = usePlace()
  const { company } = useSession()
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <header>
        {environment === 'test' && (
          <div className="sandbox-stripe">SANDBOX: nothing here touches your live keys and webhooks</div>
        )}
        {company.suspended_at !== null && (
          <div className="sandbox-stripe">
            SUSPENDED: API keys are refused, deliveries wait, and you can change almost nothing
          </div>
        )}
        <div className="header">
          <span className="brand">Sales data webhooks</span>
          <EnvironmentSwitch />
          <Navigation />
          <span className="spacer" />
          <AccountBar />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  )
}
