import { domainToASCII } from 'node:url';

const hostName = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{1,63}$/;

/**
 * As DNS knows it: `bücher.example` is `xn--bcher-kva.example`. Empty: it is no domain. What only turns into one on the
 * way (`gm%61il.com`, letters of double width) is none either: mail would not go where it seems to.
 */
export function asciiDomain(domain: string): string {
  const name = hostName.test(domain) ? domain : domainToASCII(domain);
  return hostName.test(name) && (name === domain || /(^|\.)xn--/.test(name)) ? name : '';
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
