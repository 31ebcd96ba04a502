import { Link, useLocation } from 'wouter'
import { usePlace, useSession } from '../session/context.ts'
import { texts } from './texts.ts'

const NAMES = { live: texts.live, test: texts.sandbox } as const

/** Links to the same list in the other environment. The environment is in the URL, so two tabs can show both. */
export function EnvironmentSwitch() {
  const { environments } = useSession()
  const { companyId, environment } = usePlace()
  const [path] = useLocation()
  // A single object of this environment does not exist in the other one. So the link leads to the list.
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
