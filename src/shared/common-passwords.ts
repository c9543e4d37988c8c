import type { FieldErrors } from './problem.ts';

/** Words in common passwords. Digits and symbols around a word do not make it a good password. */
const words = new Set(
  `password passwort passwords passpass passphrase pass passcode passme mypassword mypass thepassword newpassword yourpassword
  contrasena contrasenia motdepasse senha wachtwoord haslo parola salasana geheim sekret secret secrets topsecret
  welcome welcomeback welkom willkommen bienvenue bienvenido benvenuto letmein letmeinn letmeinnow openup opensesame sesame
  admin administrator administrador adminadmin sysadmin superadmin superuser root rootroot toor user username guest guests
  login loginlogin logmein signin access account default changeme changeit change changethis test testing tester testtest
  testuser demo demodemo sample example temp temporary nopassword nopass none nothing blank master masters system systems
  server oracle computer computers internet network windows microsoft apple google android samsung motorola nokia iphone
  blackberry facebook instagram youtube twitter linkedin yahoo hotmail gmail amazon netflix spotify paypal whatsapp skype
  qwerty qwertyui qwertyuiop qwertz qwert qwer azerty azertyuiop asdf asdfg asdfgh asdfghjk asdfghjkl asdfasdf asdasd
  asdasdasd qweqwe qweqweqwe qweasd qweasdzxc zxcv zxcvb zxcvbn zxcvbnm zxczxc poiuytrewq lkjhgfdsa mnbvcxz qazwsx qazwsxedc
  wsxedc qazxsw abcd abcde abcdef abcdefg abcdefgh abcabc abcabcabc aabbcc
  iloveyou iloveu iloveme ilovehim iloveher ilovegod iloveyouso loveyou loveme lovelove love lover lovers lovely loveu
  truelove mylove firstlove babylove lovebug teamo tequiero amor amore amour liebe kocham jetaime beloved forever always
  sweetheart sweetie sweetpea honey honeybee sugar cupcake cookie cookies chocolate candy cherry strawberry blueberry banana
  bananas orange apples pineapple pumpkin peanut butter pepper ginger cinnamon coffee cheese pizza bacon chicken burger
  princess princesa prince queen queens king kings kingdom angel angels angela heaven heavenly jesus jesuschrist christ
  christian church bible faith hope blessed blessing blessings grace glory amen trinity genesis god godisgood savior
  sunshine sunset sunrise sunday sunny sunflower moon moonlight starlight stardust star stars starwars startrek rainbow
  rainbows summer summertime winter spring autumn january february march april may june july august september october
  november december monday tuesday wednesday thursday friday saturday weekend holiday christmas halloween easter birthday
  monkey monkeys dragon dragons tiger tigers lion lions panther panthers eagle eagles falcon falcons hawk hawks wolf wolves
  bear bears panda turtle dolphin dolphins shark sharks snake spider butterfly bumblebee horse horses pony unicorn
  puppy puppies kitty kitten kittens kittycat cat cats doggy dog dogs doggie bulldog bulldogs penguin penguins elephant
  rabbit bunny bunnies mouse mickey mickeymouse minnie donald pluto goofy tweety snoopy garfield scooby scoobydoo simpsons
  spongebob pokemon pikachu mario luigi zelda sonic naruto sasuke goku dragonball digimon batman superman spiderman ironman
  hulk thor avengers wolverine joker catwoman robin superstar hero heroes legend legends warrior warriors knight knights
  football soccer baseball basketball hockey softball volleyball tennis golf golfer cricket rugby swimming skating
  skateboard snowboard surfing fishing hunting hunter boxing racing cycling runner running gymnast dancer dance dancing
  liverpool arsenal chelsea everton manchester manutd manunited tottenham rangers celtic barcelona realmadrid madrid
  juventus milan inter bayern dortmund ajax feyenoord benfica porto galatasaray fenerbahce besiktas cowboys steelers
  yankees lakers redsox redskins packers raiders patriots giants dodgers cubs bulls celtics gators buckeyes longhorns
  ronaldo messi neymar beckham jordan kobe lebron shaq tyson
  michael jennifer jessica michelle ashley nicole daniel danielle andrew matthew joshua anthony amanda andrea charlie
  charlotte thomas robert richard william elizabeth samantha christopher christine christina jonathan joseph stephanie
  melissa heather hannah brandon benjamin alexander alexandra alexandre alexandru alejandra alejandro fernando francisco
  gabriel gabriela gabrielle guillermo isabella carolina caroline catherine katherine patricia patrick veronica victoria
  vanessa sebastian samuel rebecca rachel nathan nicholas madison mohammed muhammad mustafa mohamed ibrahim abdullah
  maverick maggie martin matrix marina mariana mercedes natalie natasha olivia sophie stella sandra sabrina savannah shannon
  sharon susan taylor tiffany tinkerbell valentina valentine vincent virginia whitney william zachary george harley
  jackson jasmine jasper justin kimberly lauren leonardo lindsey lorenzo lucky luckyone buster buddy bailey barbie barney
  bella benny bobby bradley brittany brooklyn butterfly carlos casper chester chris claudia cooper crystal daisy dakota
  dallas david debbie denise dennis diamond diamonds diana dexter edward emily eminem felipe florida frank freddy friends
  friend friendship bestfriend bestfriends gandalf harry harrypotter hermione dumbledore hogwarts gryffindor slytherin
  frodo legolas aragorn skywalker lukeskywalker darthvader yoda chewbacca hansolo
  london paris newyork berlin england america american canada australia germany deutschland france espana italia portugal
  brasil brazil mexico argentina colombia india pakistan istanbul turkiye polska russia scotland ireland wales texas
  california florida hawaii boston chicago denver phoenix houston miami vegas lasvegas hollywood
  ferrari lamborghini porsche mercedesbenz bmwbmw mustang corvette camaro chevrolet chevy toyota honda nissan subaru
  mitsubishi yamaha kawasaki suzuki harleydavidson ducati vauxhall volkswagen
  metallica slipknot nirvana beatles greenday blink pinkfloyd ledzeppelin rammstein linkinpark korn acdc slayer ironmaiden
  guitar guitars drummer drums piano violin trumpet music musica musical musician rockstar rockon rocknroll hiphop techno
  blackcat blackjack blackbird blacky black white whitey silver golden gold purple yellow green greenday blue bluesky red
  redred pink pinky pinkpink orange turquoise crimson magenta
  shadow shadows ghost phantom killer killers killme ninja samurai assassin sniper soldier army marine marines navy airforce
  police fireman fire fireball firebird thunder lightning storm stormy hurricane tornado snowball snowman snowflake icecream
  trustno trustnoone whatever whatsup whocares ihateyou hateyou fuckyou 
  badboy badgirl goodboy goodgirl babygirl babyboy baby babybaby babyface babyblue girl girls boys cowboy
  playboy playgirl player players gamer gamers gaming gameover games xbox playstation nintendo minecraft fortnite roblox
  warcraft starcraft counterstrike halo diablo pacman tetris lego barbie
  sexy sexygirl sexyboy sexylady hottie hotstuff gorgeous beautiful pretty cutie cutiepie handsome
  money moneymoney dollar dollars million millions millionaire rich success successful winner winners winning victory
  champion champions freedom peace peaceful liberty justice power powers powerful strong strength energy magic magical
  mystery destiny dream dreams dreamer fantasy imagine believe believer inspire happy happiness happyday smile smiles smiley
  family mother father mommy mummy mum daddy dad brother sister brothers sisters grandma grandpa husband wife children
  school college student students teacher teachers university library science biology chemistry physics history english
  spanish french german doctor nurse lawyer engineer manager management director boss bigboss company business office
  hotel hotels restaurant restaurants reception kitchen waiter waitress barman bartender chef cook bistro tavern brewery
  hospitality regulars marketing customer customers booking bookings voucher vouchers dinner breakfast lunch cocktail
  whiskey whisky vodka tequila guinness heineken budweiser corona wine beer champagne
  security secure safety private personal letmepass enter enterme entry open opendoor door keykey keyboard mouse monitor
  laptop desktop printer hardware software program programmer developer hacker hackers hackme database mysql postgres
  postgresql ubuntu linux debian redhat centos docker github gitlab cisco juniper dell lenovo toshiba philips panasonic sony
  alpha beta gamma delta omega sigma phoenix titan zeus apollo athena hercules poseidon neptune mercury venus mars jupiter
  saturn galaxy universe planet earth space rocket apollo astronaut
  aaaa asdfjkl hello hellohello hellothere helloworld hellokitty hola bonjour hallo ciao aloha goodbye goodluck goodmorning
  goodnight thankyou please sorry okokok yesyes nono blahblah lalala hahaha hahahaha lollol lololol
  crazy crazyman stupid idiot loser genius einstein mozart picasso shakespeare romeo juliet hamlet
  platinum emerald sapphire ruby pearl precious treasure pirate pirates captain sailor ocean beach island paradise
  mountain mountains river forest garden flower flowers roses rose lily violet tulip lavender jasmin
  maxwell maximus maximum spartan spartacus gladiator trojan trojans viking vikings wizard wizards merlin excalibur
  camelot castle tower bridge tunnel matthew scorpion scorpio virgo libra aquarius pisces aries taurus gemini cancer leo
  sagittarius capricorn terminator predator alien aliens godzilla kingkong jurassic titanic avatar gangster mafia
  scarface godfather soprano sopranos goodfellas rambo rocky stallone jamesbond bond`.split(/\s+/),
);

/** Common passwords that are neither a word with digits nor a keyboard sequence. */
const others = new Set(
  `1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc zaq12wsx zaq1zaq1 zaq1xsw2 q1w2e3r4 q1w2e3r4t5 qazwsxedc qaz123wsx
  1qazxsw2 1qaz1qaz qwe123qwe 123qwe123 123qweasd 123qweasdzxc qweasdzxc123 qwer1234 1234qwer asdf1234 1234asdf zxcv1234
  abcd1234 1234abcd abc123abc a1b2c3d4 a1b2c3d4e5 aa123456 a123456789 123456789a a12345678 12345678a q12345678 12345qwert
  qwert12345 qwerty12345 1234567890q 11223344 1122334455 112233445566 12341234 123412345 12345612 123456123456 12344321
  123454321 1234554321 123123123 321321321 87654321 147258369 159753456 147852369 963852741 741852963 258456357 159357456
  13579246 1357924680 2468101214 246813579 1029384756 0192837465 192837465 19841984 19871987 19891989 19901990 20002000
  20202020 20212021 20222022 20232023 20242024 20252025 20262026 31415926 314159265 3141592653 27182818 10203040 1020304050
  01020304 0102030405 11112222 11223300 12121212 13131313 14141414 10101010 99887766 998877665544 55667788 44332211
  0987654321 0123456789 9876543210 passw0rd p455w0rd pa55word pa55w0rd pa$$word p@55w0rd passwd12 pwd12345 pass1234 pass12345
  trustno1 letme1n l3tm31n adm1n123 adm1nistrator r00tr00t t3st1ng w3lcome1 s3cr3t12 ncc1701d ncc1701e rush2112 ou812345
  gfhjkm123 yfnfif123 ghbdtn123 jordan2323
  4getmenot 4everyoung 2fast4you 2fast2furious 1iloveyou1`.split(/\s+/),
);

/** Keyboard sequences. */
const runs = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
];
const allRuns = [...runs, ...runs.map((run) => [...run].reverse().join(''))];

const minDifferent = 4;
const leet: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '@': 'a', $: 's', '!': 'i' };

/** The reason why a new password is rejected. Attackers try common passwords and the e-mail first. */
export function passwordErrors(field: string, password: string, email: string): FieldErrors | undefined {
  const text = folded(password);
  const [name = ''] = folded(email).split('@');
  if (text === folded(email) || text === name)
    return { [field]: ['The password must not be the e-mail address or its first part.'] };
  return isCommon(text) ? { [field]: ['The password is one of the most common ones. Choose another.'] } : undefined;
}

const folded = (text: string) => text.normalize('NFKC').trim().toLowerCase();

function isCommon(text: string): boolean {
  if (new Set(text).size < minDifferent || others.has(text) || allRuns.some((run) => run.includes(text))) return true;
  const word = letters(text);
  return words.has(word) || words.has(letters(word.replace(/[01345@$!]/g, (sign) => leet[sign] ?? sign)));
}

/** Removes digits and symbols before the first letter and after the last. */
function letters(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && !isLetter(text[start])) start++;
  while (end > start && !isLetter(text[end - 1])) end--;
  return text.slice(start, end);
}

const isLetter = (sign: string | undefined) => sign !== undefined && /\p{L}/u.test(sign);
