import { ButtonLink } from './button-link.tsx'
import { PageTitle } from './page-title.tsx'
import { texts } from './texts.ts'

/** What an address without a page shows, with a way on. */
export const NoSuchPage = () => (
  <>
    <PageTitle title={texts.noSuchPage} />
    <ButtonLink href="/overview">{texts.toTheOverview}</ButtonLink>
  </>
)
