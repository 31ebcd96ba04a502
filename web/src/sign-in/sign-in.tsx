import { Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { FrontPage } from '../common/layout/front-page.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { texts } from './texts.ts'

/** The page of who is not signed in. */
export function SignIn() {
  useEffect(() => {
    document.title = texts.tabTitle
  }, [])
  return (
    <FrontPage>
      <Title order={1} size="h2">
        {texts.signIn}
      </Title>
      <Text mb="md">{texts.tagline}</Text>
      <SignInForm />
      <Text size="sm" mt="md">
        {texts.forgot}
      </Text>
    </FrontPage>
  )
}
