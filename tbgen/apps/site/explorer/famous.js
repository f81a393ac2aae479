// Positions to start from: FEN, accrued score, what is to see.
export const FAMOUS = [
  ['8/8/4K3/5Bk1/8/8/8/8 w - - 33 30', 'G4.0', 'A bishop is worth something', 'Once held to G4.0, the king can be held to one move'],
  ['8/6k1/8/4K3/8/8/8/8 b - - 0 1', '', 'Two bare kings', 'The opposition is worth a score'],
  ['8/8/8/2kNK3/8/8/8/8 b - - 0 1', '', 'A knight alone', 'Published with the rules: G3.5'],
  ['7K/8/k1P5/7p/8/8/8/8 w - - 0 1', '', 'Réti’s study', 'A draw in ordinary chess; Black wins by very little'],
  ['8/8/8/8/8/4k3/R7/K2b4 w - - 0 1', '', 'Rook against bishop', 'The strip shows what a bad score costs'],
  ['8/8/8/8/8/2k5/1R6/K7 w - - 0 1', '', 'Rook against king', 'The longest mate, 31 plies'],
  ['8/8/8/1k6/8/8/P7/K7 w - - 0 1', '', 'A rook pawn', 'Draws of ordinary chess are not equal'],
  ['8/8/8/3k4/8/3K4/8/BN6 w - - 0 1', '', 'Bishop and knight', 'Mate, whatever has accrued'],
];
