import type { CallTopic } from "./call-topics-product.ts";

/** The second half of the sales call: what it takes to buy and run the product. */
export const COMMERCIAL_TOPICS: readonly CallTopic[] = [
  {
    name: "systems and data",
    exchanges: [
      [
        "Which of our systems would you have to talk to, and in which direction?",
        "We read from the warehouse system and write released orders back to it, and that is all we touch.",
      ],
      [
        "Where is the data kept, and who can see it on your side?",
        "The data stays in the region you choose, and {n} people on our side can reach it, by name and with a log.",
      ],
      [
        "What do you need from my team, in days and not in words?",
        "From experience it is about {n} days of your team for the connection and another {n} for the tests.",
      ],
      [
        "How do you sign people in, with our directory or with yours?",
        "Sign-in goes through your directory; when somebody leaves, their access is gone within {n} minutes.",
      ],
      [
        "What happens if our connection at {site} is down for {n} hours?",
        "The desks keep working on the last state for up to {n} hours, and everything is sent as soon as the line is back.",
      ],
      [
        "Can we get everything out again if we leave?",
        "The export is complete and documented, one file per table, and you can run it yourself at any time.",
      ],
    ],
    details: [
      "There is a test system with its own address, and it is refreshed every {day} night.",
      "I will send the list of fields, it is {n} pages and most of it will look familiar.",
      "We can do the review with your security people in {month}, they have a form for it, I suppose.",
      "Nothing has to be opened from outside; the connector calls us and never the other way round.",
      "The log of who looked at what is yours, you do not have to ask for it.",
      "We answered {hundreds} questions of that kind for another food company, so we have most of it ready.",
      "The certificate is from {month} and the report can be shared under a confidentiality agreement.",
    ],
    doubts: [
      [
        "Our warehouse system was last upgraded {n} years ago and the vendor charges for every question.",
        "We have worked with that version before; the interface is old but it is honest.",
      ],
      [
        "I have exactly {n} people, and one of them is on parental leave until {month}.",
        "Then we plan around {month}, and we bring the connector so that your people only have to approve it.",
      ],
      [
        "I would want the addresses and phone numbers of our customers to stay out of anything that learns.",
        "Contact details are stored apart and never used for suggestions, and we will put that in writing.",
      ],
    ],
    promises: ["I would suggest one hour with you and our security lead, without the rest of us."],
  },
  {
    name: "the pilot",
    exchanges: [
      [
        "What would a pilot look like if we started in {month}?",
        "We propose {n} weeks with one desk and one product group, with both processes running in parallel for the first of them.",
      ],
      [
        "How do we know after {n} weeks whether it worked?",
        "Success is three numbers that we write down today: typed lines, late departures and corrections after release.",
      ],
      [
        "Which desk would you start with?",
        "I would start with the hospitality desk, since that is where {tens} percent of the typing happens.",
      ],
      [
        "Who from your side would be on site, and for how long?",
        "Ben would be at {site} for the first {n} days, and after that there is a call every morning at {hour}.",
      ],
      [
        "What is the smallest pilot that still tells us something?",
        "The smallest useful pilot is about {hundreds} orders, below that it is all anecdotes.",
      ],
      [
        "Can we stop in the middle without owing you anything?",
        "You can stop at any time; what is delivered so far stays with you and nothing more is invoiced.",
      ],
    ],
    details: [
      "We would need one person of yours who can decide, for about {n} hours a week.",
      "We write a one-page note every {day}, with what went wrong first.",
      "The parallel week is tiring, I will not pretend otherwise, but nobody has ever regretted it.",
      "If the numbers are not there after {n} weeks, we will be the ones to say so.",
      "The training is {n} hours per person and most of it is on real orders.",
      "Last time the biggest surprise was how many customers send the same order twice.",
      "We would freeze the rules two days before the start and only fix mistakes after that.",
    ],
    doubts: [
      [
        "Our season starts in {month}, and after that nobody here will look at anything new.",
        "Let us put the dates next to each other at the end of this call, I think it fits.",
      ],
      [
        "A pilot that runs beside the daily work tends to die quietly, I have seen that {n} times.",
        "That is why we ask for one person who decides; without that we would rather not start.",
      ],
      [
        "I cannot have the desk work through both processes for longer than a week.",
        "Then the parallel phase is {n} working days and not one more, I am fine with that.",
      ],
    ],
    promises: ["We can be ready before the season if the connection stands by the end of {month}."],
  },
  {
    name: "price and contract",
    exchanges: [
      [
        "How is it priced, per user or per order?",
        "It is per released order, not per user, because we do not want you to share passwords.",
      ],
      [
        "What would we pay in the first year with our volume?",
        "With {hundreds} orders a day you are in the second band, and I will send the exact figure after the call.",
      ],
      [
        "Is the set-up included, or does that come on top?",
        "Set-up is a fixed price, and it is due when the first order has gone through and not before.",
      ],
      [
        "What happens to the price if we add the second site?",
        "The second site moves you into the next band, so each order gets cheaper and not dearer.",
      ],
      [
        "How long are we bound?",
        "The contract runs for {n} quarters, with a way out after the first {n} months if the three numbers are missed.",
      ],
      [
        "Could the pilot be credited if we go ahead?",
        "The pilot fee is credited in full if you sign within {tens} days.",
      ],
    ],
    details: [
      "Support is in the price, by phone until {hour} and for emergencies around the clock.",
      "There is nothing in it for extra reports or extra users, that question comes every time.",
      "We publish the bands, so you can check that nobody else pays less for the same volume.",
      "Cancelled orders do not count, and neither do corrections.",
      "The figure in my note assumes the lower end of your volume.",
      "I would rather give you one honest number today than three rounds of discounts.",
      "Invoices come once a quarter and can go straight to payables@example.com.",
    ],
    doubts: [
      [
        "Our budget for this year is closed, so anything above {n} thousand needs the board.",
        "Then we keep the pilot below that line and move the rest into next year.",
      ],
      [
        "In {month} our volume doubles, and I do not want to be punished for a good season.",
        "For the season we take the yearly average, so a strong {month} does not push you up a band.",
      ],
      [
        "Per order sounds fair until somebody splits one order into {n}.",
        "Split orders to the same address on the same day count once, that is in the terms.",
      ],
    ],
    promises: ["I will write it so that your board gets one page and your lawyers get the other {tens}."],
  },
  {
    name: "people and training",
    exchanges: [
      [
        "How long until a new person at the desk is on their own?",
        "Most people are on their own after {n} days, because they see their own customers and not a training set.",
      ],
      [
        "Who trains the night shift at {site}?",
        "We train {n} of your people as trainers, and they take the night shift with Ben on the phone.",
      ],
      [
        "What do your other customers say about the first month?",
        "The first month is mixed everywhere: the second week is the worst, and by the fourth nobody wants to go back.",
      ],
      [
        "Is there something for people who do not like reading manuals?",
        "There are short films of about {n} minutes, each recorded on a real desk.",
      ],
      [
        "What happens to the people whose job is mostly typing today?",
        "At two customers the typing jobs became customer care; nobody was let go, and I can put you in touch.",
      ],
    ],
    details: [
      "The built-in help answers in the language of the desk, and it says so when it does not know.",
      "The best trainer we ever had was a planner who did not like us at all in the beginning.",
      "We keep the group small, {n} people at most, otherwise the quiet ones never say anything.",
      "There is a printed card for the first week, and people still have it on the wall after {n} months.",
      "I can arrange a visit in {month}, they are about {tens} minutes from {site}.",
      "The night shift had the best numbers in the end, simply because it is quieter.",
    ],
    doubts: [
      [
        "The night shift does not read e-mail, so please do not plan on that.",
        "Then we come at night, that is not a favour, that is the plan.",
      ],
      [
        "Some colleagues are afraid that this is the first step to closing their desk.",
        "I would like Helen to say a word about the jobs before we train anyone; it cannot come from us.",
      ],
      [
        "We cannot take {n} people out of the plan in the same week.",
        "One person per shift is enough, spread over {n} weeks.",
      ],
    ],
    promises: ["A visit helps more than anything we could say here, so let us set a date."],
  },
  {
    name: "support after the start",
    exchanges: [
      [
        "Whom do we call when something does not work at {hour} on a {day}?",
        "A person of our own team, in your time zone, who knows your set-up; there is no menu to listen to.",
      ],
      [
        "How quickly do you react when the orders stand still?",
        "Within {tens} minutes around the clock, and we tell you every half hour what we know.",
      ],
      [
        "How often do you change the product, and do we notice?",
        "There is a new version every {n} weeks; you see it on the test system first and can postpone it once.",
      ],
      [
        "Do we get a say in what is built next?",
        "There is a customer round in {month}, and about one in three of the things we built last year came from it.",
      ],
      [
        "What if Ben leaves your company?",
        "Every account has two engineers who know it, and the notes about you belong to you as much as to us.",
      ],
    ],
    details: [
      "Last year we had {n} incidents of the serious kind, and the reports on all of them can be read.",
      "The status page is public, also for the days that we would rather forget.",
      "Most calls in the first month are about sign-in, after that they are about rules.",
      "There is one channel for all of you, so that nobody has to explain the same thing twice.",
      "We also call you, once a quarter, when nothing is wrong.",
      "Requests from the desks are answered by people who sat at a desk themselves.",
    ],
    doubts: [
      [
        "Our last vendor was wonderful until the contract was signed.",
        "Ask the customer you are going to visit about exactly that, I will not be in the room.",
      ],
      [
        "I do not want a new version in the middle of the season.",
        "You can freeze yours for up to {n} weeks, and many of our food customers do.",
      ],
      [
        "If we depend on you for every rule, we are slower than today.",
        "You will not: the rules are yours, and after {n} weeks you will know them better than we do.",
      ],
    ],
    promises: ["You will have the names and numbers of both engineers before the pilot starts."],
  },
  {
    name: "open questions",
    exchanges: [
      [
        "What is still missing for a decision from your side?",
        "From my side it is the connection and the season, in that order.",
      ],
      [
        "Who else has to agree?",
        "The works council has to be informed, it does not have to agree, but I want it to.",
      ],
      [
        "Is there anything we have not asked that we should have?",
        "I would like to talk to a customer who has been live for at least {n} months.",
      ],
      [
        "What would make you say no?",
        "What would make me say no is if the desks are not convinced after the visit.",
      ],
      [
        "When do you meet next, and what would you need by then?",
        "The management meeting is on a {day} in the second half of {month}, so I need everything {n} days earlier.",
      ],
    ],
    details: [
      "I need the total for the first year on one page, including what my own people have to put in.",
      "I will collect the questions in one document so that nothing gets lost between us.",
      "We have {n} points on the list now, and I believe {n} of them are already answered.",
      "If you write to me at maya.ortiz@example.com it reaches the whole team.",
      "Let me repeat it in my own words, and please correct me.",
      "I would be glad if Tomas could look at the field list before {day}.",
    ],
    doubts: [
      [
        "I do not want to discover a hidden cost in {month}.",
        "You will have the page by {day} noon, with every figure explained.",
      ],
      [
        "If this slips by {n} weeks, we lose the whole year.",
        "If it slips on our side, the pilot weeks that fall into the season are free.",
      ],
      [
        "The board remembers the last project, and it does not remember it fondly.",
        "Then let us name the risks in the paper ourselves, before the board does.",
      ],
    ],
    promises: [
      "I can join the meeting for {n} minutes and answer questions, or stay away if that is better.",
    ],
  },
];
