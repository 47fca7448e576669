/**
 * The tests that fail, by area and reason. A test that passes must leave the list. All concern the implementation of
 * Deno, except globals that load late and `MessageChannel`.
 */
export const expectedFailures: Record<string, Record<string, string[]>> = {
  clone: {
    'Deno clones these objects to plain ones.': [
      'URL is refused',
      'Headers is refused',
      'Request is refused',
      'Response is refused',
      'FormData is refused',
      'URLSearchParams is refused',
      'Event is refused',
      'EventTarget is refused',
      'AbortSignal is refused',
      'TextEncoder is refused',
    ],
    'Deno transfers without the checks before it.': [
      'a buffer is transferred once',
      'a failed clone transfers nothing',
    ],
  },
  crypto: {
    'Deno decrypts AES-GCM with tags of 128 bits only.': [
      'AES-GCM with a tag of 96 bits',
      'AES-GCM with a tag of 104 bits',
      'AES-GCM with a tag of 112 bits',
      'AES-GCM with a tag of 120 bits',
    ],
    'Deno checks points at their first use.': [
      'a JWK of P-256 with another curve',
      'a JWK of P-256 with another x',
      'malformed points of P-256',
      'a JWK of P-384 with another curve',
      'a JWK of P-384 with another x',
      'malformed points of P-384',
    ],
    'Deno throws another error.': [
      'an unknown usage is refused',
      'an algorithm is used for its operations',
      'getRandomValues takes only views',
    ],
  },
  encoding: {
    'Deno removes a byte order mark after the start of a stream.': ['utf-8 61 efbbbf, byte by byte'],
  },
  events: {
    'Deno counts from 1970.': ['timeStamp is the time since the start of the process'],
    'Deno does not check these arguments.': [
      'options of an event can be null',
      'options of an event are an object',
      'PromiseRejectionEvent needs options',
      'a listener is a function or an object',
    ],
    'In Deno, `isTrusted` is an attribute of the prototype.': [
      'isTrusted is an own property that cannot be forged',
    ],
    'Deno does not implement these attributes as the standard has them.': [
      'detail is null by default',
      'srcElement is the target',
      'cancelBubble cannot be reset',
    ],
    'Deno runs capturing listeners of the target in the order of their addition.': [
      'listeners run in their order, those of the capturing phase first',
    ],
  },
  fetch: {
    'Deno does not check these arguments.': [
      'a Request of a URL with credentials is refused',
      'window {} is refused',
      'duplex "full" is refused',
      'a stream as body needs duplex',
      'FormData takes a file name only with a Blob',
    ],
    'Deno accepts 101 for WebSockets.': ['status 101 is refused'],
    'Deno keeps a byte order mark.': ['a byte order mark is not part of the text'],
    'Deno does not decode these names.': ['formData decodes the names of multipart text'],
  },
  interfaces: {
    'These globals are loaded at their first use, by a getter.': [
      'CompressionStream interface: existence and properties of interface object',
      'DecompressionStream interface: existence and properties of interface object',
      'Headers interface: existence and properties of interface object',
      'Request interface: existence and properties of interface object',
      'Response interface: existence and properties of interface object',
      'URLPattern interface: existence and properties of interface object',
      'FormData interface: existence and properties of interface object',
    ],
    'In Deno, these getters do not throw for the prototype.': [
      'Event interface: attribute srcElement',
      'Event interface: attribute cancelBubble',
      'Event interface: attribute returnValue',
      'Event interface: attribute defaultPrevented',
      'AbortSignal interface: attribute onabort',
    ],
    'In Deno, these methods are not enumerable.': [
      'Event interface: operation composedPath()',
      'Event interface: operation stopPropagation()',
      'Event interface: operation stopImmediatePropagation()',
      'Event interface: operation preventDefault()',
    ],
    'Deno lacks the deprecated initializers.': [
      'Event interface: operation initEvent(DOMString, optional boolean, optional boolean)',
      'Event interface: objects.event must inherit property "initEvent(DOMString, optional boolean, optional boolean)" with the proper type',
      'Event interface: calling initEvent(DOMString, optional boolean, optional boolean) on objects.event with too few arguments must throw TypeError',
      'CustomEvent interface: operation initCustomEvent(DOMString, optional boolean, optional boolean, optional any)',
      'CustomEvent interface: objects.customEvent must inherit property "initCustomEvent(DOMString, optional boolean, optional boolean, optional any)" with the proper type',
      'CustomEvent interface: calling initCustomEvent(DOMString, optional boolean, optional boolean, optional any) on objects.customEvent with too few arguments must throw TypeError',
      'Event interface: objects.customEvent must inherit property "initEvent(DOMString, optional boolean, optional boolean)" with the proper type',
      'Event interface: calling initEvent(DOMString, optional boolean, optional boolean) on objects.customEvent with too few arguments must throw TypeError',
    ],
    'In Deno, `isTrusted` is an attribute of the prototype.': [
      'Event interface: objects.event must have own property "isTrusted"',
      'Event interface: objects.customEvent must have own property "isTrusted"',
    ],
    'In Deno, the `length` of these functions differs.': [
      'EventTarget interface: operation addEventListener(DOMString, EventListener?, optional (AddEventListenerOptions or boolean))',
      'EventTarget interface: operation removeEventListener(DOMString, EventListener?, optional (EventListenerOptions or boolean))',
      'AbortController interface: operation abort(optional any)',
      'PromiseRejectionEvent interface object length',
      'URLPattern interface object length',
      'URLPattern interface: operation test(optional URLPatternInput, optional USVString)',
      'URLPattern interface: operation exec(optional URLPatternInput, optional USVString)',
      'FormData interface object length',
      'FormData interface: operation append(USVString, USVString)',
      'FormData interface: operation append(USVString, Blob, optional USVString)',
      'FormData interface: operation set(USVString, USVString)',
      'FormData interface: operation set(USVString, Blob, optional USVString)',
    ],
    'Deno has no such attributes: there are no pages.': [
      'Request interface: attribute destination',
      'Request interface: attribute isReloadNavigation',
      'Request interface: attribute isHistoryNavigation',
      'Request interface: attribute duplex',
      'Request interface: objects.request must inherit property "destination" with the proper type',
      'Request interface: objects.request must inherit property "isReloadNavigation" with the proper type',
      'Request interface: objects.request must inherit property "isHistoryNavigation" with the proper type',
      'Request interface: objects.request must inherit property "duplex" with the proper type',
    ],
    'In Deno, these getters have another name.': [
      'Request interface: attribute body',
      'Request interface: attribute bodyUsed',
      'Response interface: attribute body',
      'Response interface: attribute bodyUsed',
    ],
    'Deno has no navigations.': [
      'PerformanceEntry interface: attribute id',
      'PerformanceEntry interface: attribute navigationId',
    ],
  },
  language: {
    'Deno keeps the order of creation.': ['entries are in the order of their start'],
    'Deno names it as `group`.': ['name of console.groupCollapsed'],
  },
  streams: {
    'Deno does not check these arguments.': ['a WritableStream of the type null is refused'],
    'There is no `MessageChannel`, which Deno uses for it.': ['a ReadableStream is transferred'],
    'Deno does not check the end of deflated data.': [
      'deflate refuses truncated data',
      'deflate refuses empty data',
      'deflate-raw refuses truncated data',
      'deflate-raw refuses empty data',
    ],
  },
  url: {
    'Deno follows an earlier version of the standard: spaces before a query or fragment.': [
      'parse "data:text/plain,a #b" against no base',
      'parse "data:text/plain,a ?b" against no base',
    ],
    'Deno follows an earlier version of the standard: `^` in paths.': [
      'parse "http://h/a^b" against no base',
    ],
    'Deno differs in leading slashes and drive letters.': [
      'parse "///g" against "http://h/"',
      'parse "file:///C|/a/../.." against no base',
      'parse "file:////host/a" against no base',
    ],
    'Deno follows an earlier version of the standard: origins of blobs.': ['origin of blob:ftp://h/id'],
    'Deno does not prevent a path that begins with two slashes.': [
      'set hostname of x:/.//p to "h"',
      'set pathname of x:/a to "//p"',
      'set pathname of x:/a to "/.//p"',
    ],
  },
};
