import { Link, useLocation } from 'wouter'
import { useMay } from '../session/context.ts'

/** The screens that the role of the user may open. */
export function Navigation() {
  const [path] = useLocation()
  const mayManageUsers = useMay('users.create')
  const screens = [
    ['/overview', 'Overview'],
    ['/keys', 'API keys'],
    ['/webhooks', 'Webhooks'],
    ['/deliveries', 'Deliveries'],
    ['/notices', 'Notices'],
    ['/events', 'Events'],
    ...(mayManageUsers ? ([['/users', 'Users']] as const) : []),
    ['/account', 'Account'],
  ] as const
  return (
    <nav aria-label="Screens">
      <ul>
        {screens.map(([href, name]) => (
          <li key={href}>
            <Link href={href} aria-current={path.startsWith(href) ? 'page' : undefined}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
