import { expect } from 'chai'
import { browserInWords } from '../../../../src/domain/user/session.ts'

describe('a browser in words', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
  for (const [agent, words] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/139.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/139.0 Safari/537.36 Edg/139.0`, 'Edge on Windows'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/139.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Linux; Android 16) ${webkit} Chrome/139.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/18 Safari/605.1.15`,
      'Safari on macOS',
    ],
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${apple} Safari/604.1`, 'Safari on iPhone'],
    [`Mozilla/5.0 (X11; CrOS x86_64) ${webkit} Chrome/139.0 Safari/537.36 OPR/123.0`, 'Opera on ChromeOS'],
    [`Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) ${apple} Safari/604.1`, 'Safari on iPad'],
    ['curl/8.5.0', 'curl'],
    ['libcurl/8.5.0', 'Unknown browser'],
    ['Something (Windows NT 10.0)', 'A browser on Windows'],
    ['x', 'Unknown browser'],
    [null, 'Unknown browser'],
  ] as const)
    it(words, () => expect(browserInWords(agent)).to.equal(words))
})
