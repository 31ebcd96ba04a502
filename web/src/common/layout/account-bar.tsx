import { Button, Group, Text, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useConsole, useSession } from '../session/context.ts'
import { showRefusal } from '../ui/toasts.tsx'

/** Who is signed in, the colours, and the way out. */
export function AccountBar() {
  const { company, user } = useSession()
  return (
    <Group gap="xs">
      <Text size="sm">
        <bdi className="foreign">{user.name}</bdi> · <bdi className="foreign">{company.name}</bdi>
      </Text>
      <ColorSwitch />
      <SignOut />
    </Group>
  )
}

function ColorSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light'
  return (
    <Button size="compact-sm" variant="default" onClick={() => setColorScheme(other)}>
      {other === 'dark' ? 'Dark' : 'Light'}
    </Button>
  )
}

function SignOut() {
  const { client, queries } = useConsole()
  const signOut = async () => {
    try {
      await client.signOut()
      // What the next person must not see.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
    } catch (error) {
      showRefusal(error)
    }
  }
  return (
    <Button size="compact-sm" variant="default" onClick={() => void signOut()}>
      Sign out
    </Button>
  )
}
