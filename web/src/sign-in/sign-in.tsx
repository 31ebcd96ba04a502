import { Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { FrontPage } from '../common/layout/front-page.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { texts } from './texts.ts'

/** The page for a visitor who is not signed in. */
export function SignIn() {
  useEffect(() => {
    document.title = texts.tabTitle
  }, [])
  return (
    <FrontPage>
      <Title order={1}>{texts.signIn}</Title>
      <Text mb="lg" c="dimmed">
        {texts.tagline}
      </Text>
      <SignInForm />
      <Text size="sm" mt="lg" c="dimmed">
        {texts.forgot}
      </Text>
    </FrontPage>
  )
}
