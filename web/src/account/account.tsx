import { useSession } from '../common/session/context.ts'
import { Facts } from '../common/ui/facts.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { Section } from '../common/ui/section.tsx'
import { When } from '../common/ui/when.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'
import { texts } from './texts.ts'

/** The own account: the same in both environments. */
export default function Account() {
  const { user, company, expires_at } = useSession()
  return (
    <>
      <PageTitle title={texts.account} />
      <div className="settings">
        <Section id="profile" title={texts.profile}>
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
        </Section>
        <PasswordForm />
        <SecondFactor />
        <OwnSessions />
      </div>
    </>
  )
}
