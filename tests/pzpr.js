// Opens the texts on standard input with pzpr.js and says, for each, how it writes them itself.
const pzpr = require(process.argv[2]);
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const judge = process.argv[3] === "judge";
const puzzle = new pzpr.Puzzle();
const opened = texts.map((text) => {
  puzzle.open(text);
  return {
    link: puzzle.getURL(),
    file: puzzle.getFileData(),
    solved: puzzle.getURL(pzpr.parser.URL_PZPRFILE),
    complete: judge && puzzle.check(true).complete,
  };
});
console.log(JSON.stringify(opened));
