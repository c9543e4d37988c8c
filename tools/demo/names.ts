interface Origin {
  /** The approximate percentage of guests. */
  share: number;
  women: string[];
  men: string[];
  families: string[];
}

const words = (text: string) => text.trim().split(/\s+/);

/** Common names. They do not refer to real people. */
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
    share: 3,
    women: words('Agnieszka Katarzyna Magdalena Zuzanna Ewa Joanna Karolina Monika'),
    men: words('Piotr Tomasz Krzysztof Marek Łukasz Wojciech Paweł Adam'),
    families: words('Nowak Kowalczyk Wójcik Woźniak Mazur Kaczmarek Krawczyk Pawlak'),
  },
  {
    share: 1.5,
    women: words('Elena Ioana Andreea Mihaela Raluca'),
    men: words('Andrei Mihai Bogdan Cristian Radu'),
    families: words('Popescu Ionescu Dumitru Stan Munteanu Radu'),
  },
  {
    share: 1,
    women: words('Oksana Daria Iryna Olha Kateryna'),
    men: words('Taras Andriy Bohdan Maksym Oleksandr'),
    families: words('Shevchenko Koval Bondar Tkachenko Melnyk Kravchuk'),
  },
  {
    share: 2.5,
    women: words('Mei Xiu Jia Ling Wai-Yan Hui'),
    men: words('Wei Jun Ming Kai Ho-Yin Chun'),
    families: words('Wong Chan Li Zhang Chen Lau Cheung Lam'),
  },
  {
    share: 1,
    women: words('Thuy Lan Linh Hoa'),
    men: words('Minh Tuan Duc Hung'),
    families: words('Nguyen Tran Le Pham'),
  },
  {
    share: 2,
    women: words('Giulia Francesca Chiara Martina Elisa'),
    men: words('Marco Lorenzo Luca Matteo Davide'),
    families: words('Rossi Bianchi Conti Ferrari Romano Greco'),
  },
  {
    share: 2,
    women: words('Inês Beatriz Mariana Carmen Lucía Marta'),
    men: words('João Rui Tiago Javier Pablo Diego'),
    families: words('Silva Santos Pereira Costa García Moreno Romero'),
  },
  {
    share: 1,
    women: words('Eleni Despina Maria Androulla'),
    men: words('Andreas Kostas Nikos Stelios'),
    families: words('Georgiou Christodoulou Ioannou Charalambous'),
  },
  {
    share: 1.5,
    women: words('Elif Zeynep Leyla Ayşe Defne'),
    men: words('Mehmet Emre Cem Murat Kerem'),
    families: words('Yılmaz Demir Kaya Çelik Şahin Arslan'),
  },
];
