/** Login with the wallet that a browser extension puts into the page. */
const form = document.querySelector('#wallet');
const failure = document.querySelector('#wallet-failure');

const post = async (path, fields) => {
  const reply = await fetch(path, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    // A form would turn the line ends of the message into others than were signed.
    body: new URLSearchParams(fields),
  });
  if (reply.ok) return reply;
  const { message } = await reply.json();
  throw new Error(message);
};

const hexOf = (text) =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

form.hidden = false;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  failure.textContent = '';
  try {
    const { ethereum } = window;
    if (!ethereum) throw new Error('This browser has no wallet.');
    const fields = Object.fromEntries(new FormData(form));
    const [address] = await ethereum.request({ method: 'eth_requestAccounts' });
    const { message } = await (await post('/login/wallet/message', { csrf: fields.csrf, address })).json();
    const signature = await ethereum.request({ method: 'personal_sign', params: [hexOf(message), address] });
    const { url } = await post('/login/wallet', { ...fields, message, signature });
    location.assign(url);
  } catch (error) {
    failure.textContent = error.message;
  }
});
