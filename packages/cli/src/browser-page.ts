/** The page of the browser wallet. It shows everything as text. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Latchkey command line</title>
<h1>Latchkey command line</h1>
<p id="status" role="status">Connecting…</p>
<pre id="asked"></pre>
<script src="/page.js"></script>
</html>
`;

export const script = `'use strict';
const show = (id, text) => { document.getElementById(id).textContent = text; };
let credential = location.hash.slice(1);
history.replaceState(null, '', '/');
async function post(path, body) {
  const headers = { Authorization: 'Bearer ' + credential, 'Content-Type': 'application/json' };
  const reply = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error('refused');
  return reply.json();
}
async function answer({ id, method, params, chainId }) {
  show('status', 'Confirm in your wallet.');
  show('asked', method === 'eth_signTypedData_v4' ? JSON.stringify(JSON.parse(params[1]), null, 2) : method);
  try {
    if (chainId !== undefined)
      await ethereum.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x' + chainId.toString(16) }] }).catch(() => {});
    await post('/reply', { id, result: await ethereum.request({ method, params }) });
  } catch (error) {
    await post('/reply', { id, error: Number(error?.code) || 0 });
  }
  show('asked', '');
  show('status', 'Waiting for the command line.');
}
async function main() {
  if (typeof ethereum === 'undefined') return show('status', 'This browser has no wallet. Open a new link where your wallet is.');
  credential = (await post('/open', {})).secret;
  show('status', 'Waiting for the command line.');
  for (;;) {
    const { ask, done } = await post('/next', {});
    if (done) return show('status', 'Done. You can close this page.');
    if (ask) await answer(ask);
    else await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
main().catch(() => show('status', 'The command has ended, or this link was used before. Close this page.'));
`;
