import { Route, Switch } from 'wouter'
import { NoSuchPage } from '../common/ui/no-such-page.tsx'
import { Permitted } from '../common/ui/permitted.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyDetail } from './key-detail.tsx'
import { KeyList } from './key-list.tsx'
import { texts } from './texts.ts'

/** The screen of the API keys. */
export default function Keys() {
  return (
    <Switch>
      <Route path="/keys" component={KeyList} />
      <Route path="/keys/new">
        <Permitted action="keys.create" title={texts.createApiKey}>
          <CreateKey />
        </Permitted>
      </Route>
      <Route path="/keys/:keyId">{({ keyId }) => <KeyDetail key={keyId} keyId={keyId} />}</Route>
      <Route component={NoSuchPage} />
    </Switch>
  )
}
