/** Common mailbox domains that receive mail. They need no DNS query. */
const byProvider = `
  gmail.com googlemail.com
  outlook.com outlook.co.uk outlook.fr outlook.de outlook.es outlook.it outlook.ie outlook.com.au hotmail.com hotmail.co.uk hotmail.fr
  hotmail.de hotmail.es hotmail.it hotmail.be hotmail.nl live.com live.co.uk live.fr live.nl live.be live.it live.ie live.com.au msn.com
  passport.com windowslive.com
  yahoo.com yahoo.co.uk yahoo.fr yahoo.de yahoo.es yahoo.it yahoo.ie yahoo.ca yahoo.co.in yahoo.in yahoo.com.au yahoo.com.br yahoo.com.mx
  yahoo.co.jp ymail.com rocketmail.com myyahoo.com aol.com aol.co.uk aim.com
  icloud.com me.com mac.com
  btinternet.com btopenworld.com talk21.com talktalk.net talktalk.co.uk tiscali.co.uk sky.com virginmedia.com virgin.net ntlworld.com
  blueyonder.co.uk plus.com plus.net orange.net o2.co.uk tesco.net zen.co.uk eircom.net
  proton.me protonmail.com pm.me fastmail.com fastmail.fm hey.com zoho.com zohomail.com tutanota.com tuta.com mail.com email.com gmx.com
  gmx.co.uk gmx.net gmx.de gmx.at gmx.ch web.de t-online.de freenet.de posteo.de mailbox.org hushmail.com duck.com
  orange.fr wanadoo.fr free.fr laposte.net sfr.fr neuf.fr bbox.fr libero.it virgilio.it alice.it tin.it tiscali.it telefonica.net
  sapo.pt ziggo.nl kpnmail.nl planet.nl xs4all.nl home.nl telenet.be skynet.be proximus.be bluewin.ch sunrise.ch telia.com
  online.no hotmail.no mail.dk wp.pl o2.pl onet.pl interia.pl seznam.cz centrum.cz abv.bg mail.ru bk.ru inbox.ru list.ru yandex.com
  yandex.ru ukr.net
  comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net optonline.net rogers.com shaw.ca
  sympatico.ca telus.net bigpond.com optusnet.com.au xtra.co.nz
  qq.com 163.com 126.com sina.com foxmail.com naver.com daum.net hanmail.net rediffmail.com uol.com.br bol.com.br terra.com.br`;

export const commonDomains: ReadonlySet<string> = new Set(byProvider.split(/\s+/).filter((domain) => domain !== ''));
