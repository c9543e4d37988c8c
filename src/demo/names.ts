interface Origin {
  /** Of a hundred guests, about so many. */
  share: number;
  women: string[];
  men: string[];
  families: string[];
}

const words = (text: string) => text.trim().split(/\s+/);

/** What people in the towns of this group are called. Each list is of names that are common; nobody in particular is meant. */
export const origins: Origin[] = [
  {
    share: 52,
    women:
      words(`Olivia Amelia Emily Sophie Charlotte Jessica Hannah Lucy Grace Chloe Emma Ruth Helen Sarah Rachel Claire Joanne
      Karen Susan Margaret Alice Eleanor Freya Poppy Daisy Harriet Imogen Zoë Abigail Megan Natalie Victoria Philippa Rosie Beth`),
    men: words(`Jack Harry George Thomas James William Oliver Charlie Henry Samuel Daniel Matthew Adam Luke Ben Edward Simon Peter
      Andrew Paul Mark David Stephen Richard Alan Keith Toby Rupert Jonathan Nathan Ryan Callum Theo Archie Stuart`),
    families:
      words(`Smith Taylor Brown Wilson Johnson Davies Robinson Wright Thompson Walker White Edwards Hughes Green Hall Wood
      Harris Clarke Jackson Turner Hill Cooper Ward Morris Moore Baker Harrison Parker Allen Shaw Mason Palmer Barnes Fisher Webb
      Holmes Rogers Chapman Knight Pearce Ellis Fletcher Marsh Hobbs Bright Tanner Sawyer Whitlock Penrose Trevelyan`),
  },
  {
    share: 7,
    women: words('Fiona Kirsty Eilidh Mairi Catriona Isla Morag Shona Ailsa Lorna'),
    men: words('Angus Fraser Hamish Ewan Callum Gregor Iain Rory Finlay Duncan'),
    families: words('MacDonald Campbell Stewart Murray Fraser Sinclair Buchanan Kerr MacLeod Drummond Baird Lennox'),
  },
  {
    share: 7,
    women: words('Siân Carys Bethan Rhiannon Nia Cerys Angharad Ffion Eleri Lowri'),
    men: words('Gareth Rhys Owain Dylan Huw Geraint Ieuan Emyr Gethin Iestyn'),
    families: words('Jones Williams Evans Griffiths Morgan Price Llewellyn Pritchard Vaughan Powell Bevan Prosser'),
  },
  {
    share: 6,
    women: words('Aoife Niamh Ciara Orla Sinéad Róisín Siobhán Maeve Gráinne Clodagh'),
    men: words('Conor Declan Cian Eoin Fergal Pádraig Liam Brendan Oisín Niall'),
    families: words('Murphy Kelly O’Sullivan Walsh O’Brien Byrne Ryan Gallagher Doherty Kennedy Lynch Quinn'),
  },
  {
    share: 9,
    women: words('Priya Anjali Meera Simran Harpreet Jasleen Kavita Neha Deepa Pooja Rupa Sunita'),
    men: words('Arjun Rohan Vikram Gurpreet Harjit Amit Sanjay Manpreet Nikhil Rajesh Kiran Dev'),
    families: words('Patel Singh Kaur Sharma Shah Gill Desai Mehta Dhillon Nair Joshi Sandhu Bhatt Reddy'),
  },
  {
    share: 6,
    women: words('Aisha Fatima Zainab Maryam Nadia Sana Amina Rukhsana Hafsa Tahmina'),
    men: words('Imran Bilal Usman Tariq Hassan Kamran Yusuf Faisal Shahid Rafiq'),
    families: words('Khan Ahmed Hussain Begum Malik Iqbal Rahman Chowdhury Mahmood Siddiqui Aziz Akhtar'),
  },
  {
    share: 5,
    women: words('Chantelle Shanice Marcia Yvonne Natasha Tamara Keisha Beverley Denise Simone'),
    men: words('Marlon Delroy Leon Curtis Winston Tyrone Jermaine Andre Errol Dwayne'),
    families: words('Campbell Grant Francis Bennett Lewis Gordon Morrison Powell Reid Douglas Blake Samuels'),
  },
  {
    share: 4,
    women: words('Adaeze Folake Ngozi Temitope Abena Akosua Chioma Yetunde Ama Ifeoma'),
    men: words('Chidi Kwame Emeka Tunde Kofi Obinna Babatunde Yaw Segun Ikenna'),
    families: words('Okafor Mensah Adeyemi Boateng Eze Owusu Adebayo Nwosu Asante Balogun Appiah Ogunleye'),
  },
  {
    share: 5,
    women: words('Agnieszka Katarzyna Magdalena Zuzanna Ewa Joanna Elena Ioana Oksana Daria'),
    men: words('Piotr Tomasz Krzysztof Marek Łukasz Wojciech Andrei Mihai Bogdan Taras'),
    families: words(
      'Nowak Kowalski Wiśniewski Lewandowski Zieliński Kamiński Popescu Ionescu Dumitru Shevchenko Koval Bondar',
    ),
  },
  {
    share: 4,
    women: words('Mei Xiu Jia Ling Wai-Yan Hui Yuki Thuy Soo-Jin Lan'),
    men: words('Wei Jun Ming Kai Ho-Yin Chun Kenji Minh Min-Jun Tuan'),
    families: words('Wong Chan Li Zhang Chen Lau Cheung Nguyen Tran Kim Tanaka Lam'),
  },
  {
    share: 5,
    women: words('Giulia Francesca Sofia Inês Beatriz Carmen Lucía Eleni Despina Elif Zeynep Leyla'),
    men: words('Marco Lorenzo Luca João Rui Javier Pablo Andreas Kostas Mehmet Emre Cem'),
    families: words('Rossi Bianchi Conti Silva Santos Pereira García Moreno Georgiou Christodoulou Yılmaz Demir Kaya'),
  },
];
