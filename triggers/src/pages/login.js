/** Wallet login through the browser extension's `window.ethereum`. */
const form = document.querySelector('#wallet');
const failure = document.querySelector('#wallet-failure');

const post = async (path, fields) => {
  const reply = await fetch(path, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    // A form submission would change the line endings of the signed message.
    body: new URLSearchParams(fields),
  });
  if (reply.ok) return reply;
  const { message } = await reply.json();
  throw new Error(message);
};

const toHex = (text) =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

form.hidden = false;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  failure.textContent = '';
  try {
    const { ethereum } = window;
    if (!ethereum) throw new Error('No wallet extension found in this browser.');
    const fields = Object.fromEntries(new FormData(form));
    const [address] = await ethereum.request({ method: 'eth_requestAccounts' });
    const { message } = await (await post('/login/message', { ...fields, address })).json();
    const signature = await ethereum.request({ method: 'personal_sign', params: [toHex(message), address] });
    const { url } = await post('/login', { ...fields, message, signature });
    location.assign(url);
  } catch (error) {
    failure.textContent = error.message;
  }
});
