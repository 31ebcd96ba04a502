import { Stack } from '@mantine/core'
import { useSession } from '../common/session/context.ts'
import { Facts } from '../common/ui/facts.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { When } from '../common/ui/when.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'

/** The own account: the same in both environments. */
export default function Account() {
  const { user, company, expires_at } = useSession()
  return (
    <>
      <PageTitle title="Account" />
      <Stack gap="xl" maw={640}>
        <Facts
          facts={[
            ['Name', <bdi key="name">{user.name}</bdi>],
            ['Email', <bdi key="email">{user.email}</bdi>],
            ['Company', <bdi key="company">{company.name}</bdi>],
            ['Role', user.role],
            ['This session ends', <When key="end" at={expires_at} is="end" />],
          ]}
        />
        <PasswordForm />
        <SecondFactor />
      </Stack>
    </>
  )
}
