import { Paper, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { Mark } from '../common/layout/mark.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** The page of who is not signed in. */
export function SignIn() {
  useEffect(() => {
    document.title = 'Sign in · Console'
  }, [])
  return (
    <main className="sign-in">
      <div className="brand">
        <Mark />
        <span>Sales data webhooks</span>
      </div>
      <Paper withBorder p="lg">
        <Title order={1} size="h2">
          Sign in
        </Title>
        <Text mb="md">API keys and webhooks of your sales data</Text>
        <SignInForm />
        <Text size="sm" mt="md">
          Forgot your password? An admin of your company can set a new one.
        </Text>
      </Paper>
    </main>
  )
}
