// Lets pzpr.js judge filled boards: node referee.js PATH/TO/pzpr.js < requests > verdicts
// A request is one line of JSON, {"puzzle": "tapa/10/10/…", "answers": [[0, 1, …], …]};
// its verdicts are one line of JSON, [true, false, …].
"use strict";
const readline = require("node:readline");
const pzpr = require(process.argv[2]);

function fill(board, answer, isSudoku) {
  for (let i = 0; i < answer.length; i++) {
    const cell = board.cell[i];
    if (!isSudoku) cell.qans = answer[i];
    else if (cell.qnum === -1) cell.anum = answer[i];
  }
  board.rebuildInfo();
}

function judge(request) {
  const puzzle = new pzpr.Puzzle();
  puzzle.open(request.puzzle);
  const isSudoku = puzzle.pid === "sudoku";
  return request.answers.map((answer) => {
    if (answer.length !== puzzle.board.cell.length) throw new Error("an answer has a wrong size");
    fill(puzzle.board, answer, isSudoku);
    puzzle.checker.resetCache();
    return puzzle.check(true).complete;
  });
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line);
  try {
    process.stdout.write(JSON.stringify(judge(request)) + "\n");
  } catch (error) {
    // Without this, node prints the whole of pzpr.js, which is one line.
    process.stderr.write(`${request.puzzle}: ${error.message}\n`);
    process.exit(1);
  }
});
