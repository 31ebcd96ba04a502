import { Paper, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { Mark } from '../common/layout/mark.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { texts } from './texts.ts'

/** The page of who is not signed in. */
export function SignIn() {
  useEffect(() => {
    document.title = texts.tabTitle
  }, [])
  return (
    <main className="sign-in">
      <div className="brand">
        <Mark />
        <span>{texts.salesDataWebhooks}</span>
      </div>
      <Paper withBorder p="lg">
        <Title order={1} size="h2">
          {texts.signIn}
        </Title>
        <Text mb="md">{texts.tagline}</Text>
        <SignInForm />
        <Text size="sm" mt="md">
          {texts.forgot}
        </Text>
      </Paper>
    </main>
  )
}
