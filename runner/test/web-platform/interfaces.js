// Compares the globals with the Web IDL of their standards, as the `idlharness` tests of the Web Platform Tests do.

/** The interfaces that an action has. */
const INTERFACES = `
  AbortController AbortSignal Blob ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto CryptoKey
  CustomEvent DecompressionStream DOMException ErrorEvent Event EventTarget File FormData Headers Performance
  PerformanceEntry PerformanceMark PerformanceMeasure PromiseRejectionEvent QuotaExceededError
  ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
  ReadableStreamDefaultController ReadableStreamDefaultReader Request Response SubtleCrypto TextDecoder
  TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController URL URLPattern
  URLSearchParams WritableStream WritableStreamDefaultController WritableStreamDefaultWriter`
  .trim()
  .split(/\s+/);
const NAMESPACES = ['console', 'WebAssembly'];
const MIXINS = [
  ...['Body', 'GenericTransformStream', 'ReadableStreamGenericReader'],
  ...['TextDecoderCommon', 'TextEncoderCommon'],
];
const TYPES = [
  ...[
    'EventHandler',
    'EventHandlerNonNull',
    'ReferrerPolicy',
    'RequestCache',
    'RequestCredentials',
    'RequestDestination',
  ],
  ...['RequestDuplex', 'RequestMode', 'RequestRedirect', 'ResponseType'],
];

// An action sees the interfaces that a page sees.
self.Window = function Window() {};

const tested = [...INTERFACES, ...NAMESPACES, ...MIXINS, ...TYPES];
const idl = new IdlArray();
for (const text of idls) idl.add_idls(text, { only: tested });
// Their attributes and methods.
Object.assign(self, {
  objects: {
    blob: new Blob(),
    file: new File([], 'n'),
    controller: new AbortController(),
    event: new Event('x'),
    customEvent: new CustomEvent('x'),
    target: new EventTarget(),
    headers: new Headers(),
    form: new FormData(),
    request: new Request('https://h.example/'),
    response: new Response(),
    url: new URL('https://h.example/'),
    params: new URLSearchParams(),
    readable: new ReadableStream(),
    writable: new WritableStream(),
    transform: new TransformStream(),
    encoder: new TextEncoder(),
    decoder: new TextDecoder(),
    encoderStream: new TextEncoderStream(),
    decoderStream: new TextDecoderStream(),
    error: new DOMException(),
    count: new CountQueuingStrategy({ highWaterMark: 1 }),
    length: new ByteLengthQueuingStrategy({ highWaterMark: 1 }),
    zip: new CompressionStream('gzip'),
    unzip: new DecompressionStream('gzip'),
    pattern: new URLPattern(),
  },
});
idl.add_objects({
  AbortController: ['objects.controller'],
  AbortSignal: ['objects.controller.signal'],
  Blob: ['objects.blob'],
  ByteLengthQueuingStrategy: ['objects.length'],
  CompressionStream: ['objects.zip'],
  CountQueuingStrategy: ['objects.count'],
  Crypto: ['crypto'],
  CustomEvent: ['objects.customEvent'],
  DecompressionStream: ['objects.unzip'],
  DOMException: ['objects.error'],
  Event: ['objects.event'],
  EventTarget: ['objects.target'],
  File: ['objects.file'],
  FormData: ['objects.form'],
  Headers: ['objects.headers'],
  ReadableStream: ['objects.readable'],
  Request: ['objects.request'],
  Response: ['objects.response'],
  SubtleCrypto: ['crypto.subtle'],
  TextDecoder: ['objects.decoder'],
  TextDecoderStream: ['objects.decoderStream'],
  TextEncoder: ['objects.encoder'],
  TextEncoderStream: ['objects.encoderStream'],
  TransformStream: ['objects.transform'],
  URL: ['objects.url'],
  URLPattern: ['objects.pattern'],
  URLSearchParams: ['objects.params'],
  WritableStream: ['objects.writable'],
});
idl.test();
