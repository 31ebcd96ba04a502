import { useSession } from '../common/session/context.ts'
import { Card } from '../common/ui/card.tsx'
import { Facts } from '../common/ui/facts.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { When } from '../common/ui/when.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'
import { texts } from './texts.ts'

/** The user's own account. It is the same in both environments. */
export default function Account() {
  const { user, company, expires_at } = useSession()
  return (
    <div className="narrow">
      <PageTitle title={texts.account} />
      <Card id="profile" title={texts.profile} note={texts.profileMeans}>
        <Facts
          isList
          facts={[
            [texts.name, <bdi key="name">{user.name}</bdi>],
            [texts.email, <bdi key="email">{user.email}</bdi>],
            [texts.company, <bdi key="company">{company.name}</bdi>],
            [texts.role, user.role],
            [texts.thisSessionEnds, <When key="end" at={expires_at} is="end" />],
          ]}
        />
      </Card>
      <PasswordForm />
      <SecondFactor />
      <OwnSessions />
    </div>
  )
}
