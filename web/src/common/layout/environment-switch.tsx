import { Link, useLocation } from 'wouter'
import { usePlace, useSession } from '../session/context.ts'
import { texts } from './texts.ts'

const NAMES = { live: texts.live, test: texts.sandbox } as const

/** Links to the same list in the other environment. Both are in the URL, so two tabs can show both. */
export function EnvironmentSwitch() {
  const { environments } = useSession()
  const { companyId, environment } = usePlace()
  const [path] = useLocation()
  // One thing of this environment is not in the other one, so the link leads to its list.
  const list = path.split('/')[1] ?? ''
  return (
    <nav className="environments" aria-label={texts.environment}>
      {environments.map((each) => (
        <Link
          key={each}
          href={`~/console/c/${companyId}/${each}/${list}`}
          data-environment={each}
          aria-current={each === environment ? 'true' : undefined}
        >
          {NAMES[each]}
        </Link>
      ))}
    </nav>
  )
}
