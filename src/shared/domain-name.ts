import { domainToASCII } from 'node:url';

const hostName = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{1,63}$/;

/**
 * The ASCII form of a domain: `bücher.example` is `xn--bcher-kva.example`. Empty: not a domain. Texts that only become
 * a domain by decoding (`gm%61il.com`, full-width letters) are rejected, because mail would go elsewhere.
 */
export function asciiDomain(domain: string): string {
  const name = hostName.test(domain) ? domain : domainToASCII(domain);
  return hostName.test(name) && (name === domain || /(^|\.)xn--/.test(name)) ? name : '';
}

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
