import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { SecondFactor } from '../account/second-factor.tsx'
import { FrontPage } from '../common/layout/front-page.tsx'
import { useClient, useSession } from '../common/session/context.ts'
import { texts } from './texts.ts'

/** The page for a signed-in user who must first set up the second factor that the company requires. */
export default function SecondFactorFirst() {
  const client = useClient()
  const { company } = useSession()
  return (
    <FrontPage>
      <Stack>
        <Title order={1}>{texts.oneStepMore}</Title>
        <Text>{texts.companyAsks({ company: <bdi className="foreign">{company.name}</bdi> })}</Text>
        <SecondFactor />
        <Group>
          <Button variant="subtle" onClick={() => void client.signOut()}>
            {texts.signOut}
          </Button>
        </Group>
      </Stack>
    </FrontPage>
  )
}
