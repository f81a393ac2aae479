
(** val negb : bool -> bool **)

let negb = function
| true -> false
| false -> true

type nat =
| O
| S of nat

(** val fst : ('a1 * 'a2) -> 'a1 **)

let fst = function
| (x, _) -> x

(** val snd : ('a1 * 'a2) -> 'a2 **)

let snd = function
| (_, y) -> y

(** val app : 'a1 list -> 'a1 list -> 'a1 list **)

let rec app l m =
  match l with
  | [] -> m
  | a :: l1 -> a :: (app l1 m)

type comparison =
| Eq
| Lt
| Gt

(** val compOpp : comparison -> comparison **)

let compOpp = function
| Eq -> Eq
| Lt -> Gt
| Gt -> Lt

module Pos =
 struct
  (** val succ : int -> int **)

  let rec succ x =
    (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
      (fun p -> (fun p -> 2 * p) (succ p))
      (fun p -> (fun p -> 1 + 2 * p) p)
      (fun _ -> (fun p -> 2 * p) 1)
      x

  (** val add : int -> int -> int **)

  let rec add x y =
    (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
      (fun p ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> (fun p -> 2 * p) (add_carry p q))
        (fun q -> (fun p -> 1 + 2 * p) (add p q))
        (fun _ -> (fun p -> 2 * p) (succ p))
        y)
      (fun p ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> (fun p -> 1 + 2 * p) (add p q))
        (fun q -> (fun p -> 2 * p) (add p q))
        (fun _ -> (fun p -> 1 + 2 * p) p)
        y)
      (fun _ ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> (fun p -> 2 * p) (succ q))
        (fun q -> (fun p -> 1 + 2 * p) q)
        (fun _ -> (fun p -> 2 * p) 1)
        y)
      x

  (** val add_carry : int -> int -> int **)

  and add_carry x y =
    (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
      (fun p ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> (fun p -> 1 + 2 * p) (add_carry p q))
        (fun q -> (fun p -> 2 * p) (add_carry p q))
        (fun _ -> (fun p -> 1 + 2 * p) (succ p))
        y)
      (fun p ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> (fun p -> 2 * p) (add_carry p q))
        (fun q -> (fun p -> 1 + 2 * p) (add p q))
        (fun _ -> (fun p -> 2 * p) (succ p))
        y)
      (fun _ ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> (fun p -> 1 + 2 * p) (succ q))
        (fun q -> (fun p -> 2 * p) (succ q))
        (fun _ -> (fun p -> 1 + 2 * p) 1)
        y)
      x

  (** val pred_double : int -> int **)

  let rec pred_double x =
    (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
      (fun p -> (fun p -> 1 + 2 * p) ((fun p -> 2 * p) p))
      (fun p -> (fun p -> 1 + 2 * p) (pred_double p))
      (fun _ -> 1)
      x

  (** val mul : int -> int -> int **)

  let rec mul x y =
    (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
      (fun p -> add y ((fun p -> 2 * p) (mul p y)))
      (fun p -> (fun p -> 2 * p) (mul p y))
      (fun _ -> y)
      x

  (** val compare_cont : comparison -> int -> int -> comparison **)

  let rec compare_cont r x y =
    (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
      (fun p ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> compare_cont r p q)
        (fun q -> compare_cont Gt p q)
        (fun _ -> Gt)
        y)
      (fun p ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> compare_cont Lt p q)
        (fun q -> compare_cont r p q)
        (fun _ -> Gt)
        y)
      (fun _ ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun _ -> r)
        y)
      x

  (** val compare : int -> int -> comparison **)

  let compare =
    compare_cont Eq

  (** val eqb : int -> int -> bool **)

  let rec eqb p q =
    (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
      (fun p0 ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q0 -> eqb p0 q0)
        (fun _ -> false)
        (fun _ -> false)
        q)
      (fun p0 ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun _ -> false)
        (fun q0 -> eqb p0 q0)
        (fun _ -> false)
        q)
      (fun _ ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun _ -> false)
        (fun _ -> false)
        (fun _ -> true)
        q)
      p
 end

module Z =
 struct
  (** val double : int -> int **)

  let double x =
    (fun zero plus minus z -> if z = 0 then zero () else if z > 0 then plus z else minus (- z))
      (fun _ -> 0)
      (fun p -> ((fun p -> 2 * p) p))
      (fun p -> (~-) ((fun p -> 2 * p) p))
      x

  (** val succ_double : int -> int **)

  let succ_double x =
    (fun zero plus minus z -> if z = 0 then zero () else if z > 0 then plus z else minus (- z))
      (fun _ -> 1)
      (fun p -> ((fun p -> 1 + 2 * p) p))
      (fun p -> (~-) (Pos.pred_double p))
      x

  (** val pred_double : int -> int **)

  let pred_double x =
    (fun zero plus minus z -> if z = 0 then zero () else if z > 0 then plus z else minus (- z))
      (fun _ -> (~-) 1)
      (fun p -> (Pos.pred_double p))
      (fun p -> (~-) ((fun p -> 1 + 2 * p) p))
      x

  (** val pos_sub : int -> int -> int **)

  let rec pos_sub x y =
    (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
      (fun p ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> double (pos_sub p q))
        (fun q -> succ_double (pos_sub p q))
        (fun _ -> ((fun p -> 2 * p) p))
        y)
      (fun p ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> pred_double (pos_sub p q))
        (fun q -> double (pos_sub p q))
        (fun _ -> (Pos.pred_double p))
        y)
      (fun _ ->
      (fun odd even one p -> if p <= 1 then one () else if p land 1 = 0 then even (p / 2) else odd (p / 2))
        (fun q -> (~-) ((fun p -> 2 * p) q))
        (fun q -> (~-) (Pos.pred_double q))
        (fun _ -> 0)
        y)
      x

  (** val compare : int -> int -> comparison **)

  let compare x y =
    (fun zero plus minus z -> if z = 0 then zero () else if z > 0 then plus z else minus (- z))
      (fun _ ->
      (fun zero plus minus z -> if z = 0 then zero () else if z > 0 then plus z else minus (- z))
        (fun _ -> Eq)
        (fun _ -> Lt)
        (fun _ -> Gt)
        y)
      (fun x' ->
      (fun zero plus minus z -> if z = 0 then zero () else if z > 0 then plus z else minus (- z))
        (fun _ -> Gt)
        (fun y' -> Pos.compare x' y')
        (fun _ -> Gt)
        y)
      (fun x' ->
      (fun zero plus minus z -> if z = 0 then zero () else if z > 0 then plus z else minus (- z))
        (fun _ -> Lt)
        (fun _ -> Lt)
        (fun y' -> compOpp (Pos.compare x' y'))
        y)
      x
 end

(** val map : ('a1 -> 'a2) -> 'a1 list -> 'a2 list **)

let rec map f = function
| [] -> []
| a :: t -> (f a) :: (map f t)

(** val flat_map : ('a1 -> 'a2 list) -> 'a1 list -> 'a2 list **)

let rec flat_map f = function
| [] -> []
| x :: t -> app (f x) (flat_map f t)

(** val fold_left : ('a1 -> 'a2 -> 'a1) -> 'a2 list -> 'a1 -> 'a1 **)

let rec fold_left f l a0 =
  match l with
  | [] -> a0
  | b :: t -> fold_left f t (f a0 b)

(** val fold_right : ('a2 -> 'a1 -> 'a1) -> 'a1 -> 'a2 list -> 'a1 **)

let rec fold_right f a0 = function
| [] -> a0
| b :: t -> f b (fold_right f a0 t)

(** val existsb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec existsb f = function
| [] -> false
| a :: l0 -> (||) (f a) (existsb f l0)

(** val forallb : ('a1 -> bool) -> 'a1 list -> bool **)

let rec forallb f = function
| [] -> true
| a :: l0 -> (&&) (f a) (forallb f l0)

(** val filter : ('a1 -> bool) -> 'a1 list -> 'a1 list **)

let rec filter f = function
| [] -> []
| x :: l0 -> if f x then x :: (filter f l0) else filter f l0

type player =
| White
| Black

(** val other : player -> player **)

let other = function
| White -> Black
| Black -> White

(** val gain : player -> int -> int **)

let gain w outcome0 =
  match w with
  | White -> outcome0
  | Black -> (~-) outcome0

type square = { file : int; rank : int }

type role =
| King
| Queen
| Rook
| Bishop
| Knight
| Pawn

type man = { owner : player; kind : role; place : square }

type position = { turn : player; men : man list; passed : square option }

(** val coordinates : int list **)

let coordinates =
  0 :: (1 :: (((fun p -> 2 * p) 1) :: (((fun p -> 1 + 2 * p)
    1) :: (((fun p -> 2 * p) ((fun p -> 2 * p) 1)) :: (((fun p -> 1 + 2 * p)
    ((fun p -> 2 * p) 1)) :: (((fun p -> 2 * p) ((fun p -> 1 + 2 * p)
    1)) :: (((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) 1)) :: [])))))))

(** val squares : square list **)

let squares =
  flat_map (fun r -> map (fun f -> { file = f; rank = r }) coordinates)
    coordinates

(** val same : square -> square -> bool **)

let same a b =
  (&&) ((fun (a : int) b -> a = b) a.file b.file)
    ((fun (a : int) b -> a = b) a.rank b.rank)

(** val is_on : square -> man -> bool **)

let is_on s m =
  same m.place s

(** val is_empty : man list -> square -> bool **)

let is_empty ms s =
  negb (existsb (is_on s) ms)

(** val is_of : player -> man -> bool **)

let is_of w m =
  match w with
  | White -> (match m.owner with
              | White -> true
              | Black -> false)
  | Black -> (match m.owner with
              | White -> false
              | Black -> true)

(** val is_king : man -> bool **)

let is_king m =
  match m.kind with
  | King -> true
  | _ -> false

(** val is_pawn : man -> bool **)

let is_pawn m =
  match m.kind with
  | Pawn -> true
  | _ -> false

(** val forward : player -> int **)

let forward = function
| White -> 1
| Black -> (~-) 1

(** val pawns_rank : player -> int **)

let pawns_rank = function
| White -> 1
| Black -> ((fun p -> 2 * p) ((fun p -> 1 + 2 * p) 1))

(** val last_rank : player -> int **)

let last_rank = function
| White -> ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) 1))
| Black -> 0

(** val within : int -> int -> int -> bool **)

let within x y z0 =
  (&&)
    ((fun (a : int) b -> a <= b)
      ((fun (a : int) b -> if a <= b then a else b) x z0) y)
    ((fun (a : int) b -> a <= b) y
      ((fun (a : int) b -> if a >= b then a else b) x z0))

(** val is_between : square -> square -> square -> bool **)

let is_between a b o =
  (&&)
    ((&&)
      ((&&)
        ((&&) (within a.file o.file b.file) (within a.rank o.rank b.rank))
        ((fun (a : int) b -> a = b)
          (( * ) ((-) o.file a.file) ((-) b.rank a.rank))
          (( * ) ((-) o.rank a.rank) ((-) b.file a.file)))) (negb (same o a)))
    (negb (same o b))

(** val is_clear : man list -> square -> square -> bool **)

let is_clear ms a b =
  negb (existsb (fun m -> is_between a b m.place) ms)

(** val attacks : man list -> man -> square -> bool **)

let attacks ms m s =
  let a = m.place in
  let right = (-) s.file a.file in
  let up = (-) s.rank a.rank in
  let straight =
    (||) ((fun (a : int) b -> a = b) right 0)
      ((fun (a : int) b -> a = b) up 0)
  in
  let diagonal = (fun (a : int) b -> a = b) (abs right) (abs up) in
  (&&) (negb (same a s))
    (match m.kind with
     | King ->
       (&&) ((fun (a : int) b -> a <= b) (abs right) 1)
         ((fun (a : int) b -> a <= b) (abs up) 1)
     | Queen -> (&&) ((||) straight diagonal) (is_clear ms a s)
     | Rook -> (&&) straight (is_clear ms a s)
     | Bishop -> (&&) diagonal (is_clear ms a s)
     | Knight ->
       (fun (a : int) b -> a = b) (abs (( * ) right up)) ((fun p -> 2 * p) 1)
     | Pawn ->
       (&&) ((fun (a : int) b -> a = b) (abs right) 1)
         ((fun (a : int) b -> a = b) up (forward m.owner)))

(** val in_check : player -> man list -> bool **)

let in_check w ms =
  existsb (fun k ->
    (&&) ((&&) (is_of w k) (is_king k))
      (existsb (fun m -> (&&) (is_of (other w) m) (attacks ms m k.place)) ms))
    ms

(** val ahead : man -> int -> square **)

let ahead m steps =
  { file = m.place.file; rank =
    ((+) m.place.rank (( * ) steps (forward m.owner))) }

(** val advances : man list -> man -> square -> bool **)

let advances ms m s =
  (&&) (is_empty ms s)
    ((||) (same s (ahead m 1))
      ((&&)
        ((&&) (same s (ahead m ((fun p -> 2 * p) 1)))
          ((fun (a : int) b -> a = b) m.place.rank (pawns_rank m.owner)))
        (is_empty ms (ahead m 1))))

(** val takes_in_passing : position -> man -> square -> bool **)

let takes_in_passing p m s =
  match p.passed with
  | Some e -> (&&) (is_pawn m) (same e s)
  | None -> false

(** val reaches : position -> man -> square -> bool **)

let reaches p m s =
  let ms = p.men in
  if is_pawn m
  then (||) (advances ms m s)
         ((&&) (attacks ms m s)
           ((||)
             (existsb (fun o -> (&&) (is_on s o) (is_of (other m.owner) o))
               ms) (takes_in_passing p m s)))
  else (&&) (attacks ms m s)
         (negb (existsb (fun o -> (&&) (is_on s o) (is_of m.owner o)) ms))

(** val becomes : man -> square -> role list **)

let becomes m s =
  if (&&) (is_pawn m) ((fun (a : int) b -> a = b) s.rank (last_rank m.owner))
  then Queen :: (Rook :: (Bishop :: (Knight :: [])))
  else m.kind :: []

type ply = { is_reset : bool; next : position }

(** val without : square -> man list -> man list **)

let without s ms =
  filter (fun m -> negb (is_on s m)) ms

(** val go :
    position -> man list -> man -> man list -> square -> role -> ply **)

let go p before m after s r =
  let taken =
    if takes_in_passing p m s
    then { file = s.file; rank = m.place.rank }
    else s
  in
  let is_double = (&&) (is_pawn m) (same s (ahead m ((fun p -> 2 * p) 1))) in
  { is_reset = ((||) (is_pawn m) (negb (is_empty (app before after) taken)));
  next = { turn = (other p.turn); men =
  (app (without taken before) ({ owner = m.owner; kind = r; place =
    s } :: (without taken after))); passed =
  (if is_double then Some (ahead m 1) else None) } }

(** val picks : man list -> man list -> ((man list * man) * man list) list **)

let rec picks before = function
| [] -> []
| m :: after -> ((before, m), after) :: (picks (app before (m :: [])) after)

(** val plies_of : position -> ply list **)

let plies_of p =
  flat_map (fun pat ->
    let (y, after) = pat in
    let (before, m) = y in
    if is_of p.turn m
    then flat_map (fun s ->
           if reaches p m s
           then map (go p before m after s) (becomes m s)
           else []) squares
    else []) (picks [] p.men)

(** val on_board : square -> bool **)

let on_board s =
  (&&) (within 0 s.file ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) 1)))
    (within 0 s.rank ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) 1)))

(** val stands_well : man -> bool **)

let stands_well m =
  (&&) (on_board m.place)
    (negb
      ((&&) (is_pawn m)
        ((||) ((fun (a : int) b -> a = b) m.place.rank 0)
          ((fun (a : int) b -> a = b) m.place.rank ((fun p -> 1 + 2 * p)
            ((fun p -> 1 + 2 * p) 1))))))

(** val are_apart : man list -> bool **)

let rec are_apart = function
| [] -> true
| m :: rest -> (&&) (is_empty rest m.place) (are_apart rest)

(** val has_passed : player -> man list -> square -> bool **)

let has_passed w ms e =
  existsb (fun m ->
    (&&)
      ((&&)
        ((&&)
          ((&&) ((&&) (is_of w m) (is_pawn m)) (same e (ahead m ((~-) 1))))
          ((fun (a : int) b -> a = b) m.place.rank
            ((+) (pawns_rank w) (( * ) ((fun p -> 2 * p) 1) (forward w)))))
        (is_empty ms (ahead m ((~-) 1))))
      (is_empty ms (ahead m ((~-) ((fun p -> 2 * p) 1))))) ms

(** val legal : position -> bool **)

let legal p =
  (&&)
    ((&&) ((&&) (forallb stands_well p.men) (are_apart p.men))
      (negb (in_check (other p.turn) p.men)))
    (match p.passed with
     | Some e -> has_passed (other p.turn) p.men e
     | None -> true)

(** val legal_plies : position -> ply list **)

let legal_plies p =
  filter (fun m -> legal m.next) (plies_of p)

type score = { holder : player; code : int }

(** val count : 'a1 list -> int **)

let rec count = function
| [] -> 0
| _ :: rest -> (+) 1 (count rest)

(** val code_with : position -> int -> int **)

let code_with p moves =
  (+) (( * ) ((fun p -> 2 * p) 1) moves)
    (if in_check p.turn p.men then 0 else 1)

(** val own_code : position -> int **)

let own_code p =
  code_with p (count (legal_plies p))

(** val outcome : score -> int **)

let outcome b =
  match b.holder with
  | White ->
    (-) ((fun p -> 2 * p) ((fun p -> 2 * p) ((fun p -> 2 * p)
      ((fun p -> 1 + 2 * p) ((fun p -> 2 * p) ((fun p -> 1 + 2 * p)
      ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p)
      1))))))))) b.code
  | Black ->
    (-) b.code ((fun p -> 2 * p) ((fun p -> 2 * p) ((fun p -> 2 * p)
      ((fun p -> 1 + 2 * p) ((fun p -> 2 * p) ((fun p -> 1 + 2 * p)
      ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p)
      1)))))))))

(** val perft : nat -> position -> int **)

let rec perft depth p =
  match depth with
  | O -> 1
  | S d -> fold_left (fun n m -> (+) n (perft d m.next)) (legal_plies p) 0

type cell = int * int

(** val code_of : cell -> int **)

let code_of c =
  (-) ((fun p -> 2 * p) ((fun p -> 2 * p) ((fun p -> 2 * p)
    ((fun p -> 1 + 2 * p) ((fun p -> 2 * p) ((fun p -> 1 + 2 * p)
    ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p)
    1))))))))) (abs (fst c))

type cells = { entry : cell; least : int; later : (score -> cell option) }

(** val cell_at : score -> cells -> cell option **)

let cell_at b c =
  if (fun (a : int) b -> a < b) c.least b.code
  then Some c.entry
  else c.later b

(** val all : ('a1 -> 'a2 option) -> 'a1 list -> 'a2 list option **)

let rec all f = function
| [] -> Some []
| a :: rest ->
  (match f a with
   | Some b ->
     (match all f rest with
      | Some bs -> Some (b :: bs)
      | None -> None)
   | None -> None)

(** val agrees : player -> int -> cell -> cell list -> bool **)

let agrees w x c ts =
  let (v, d) = c in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((fun (a : int) b -> a <= b) (abs v) ((fun p -> 2 * p)
            ((fun p -> 2 * p) ((fun p -> 2 * p) ((fun p -> 1 + 2 * p)
            ((fun p -> 2 * p) ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p)
            ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) 1))))))))))
          ((fun (a : int) b -> a <= b) 0 d))
        (forallb (fun t ->
          (fun (a : int) b -> a <= b) (gain w (fst t)) (gain w v)) ts))
      (match ts with
       | [] -> true
       | _ :: _ -> existsb (fun t -> (fun (a : int) b -> a = b) (fst t) v) ts))
    (if (fun (a : int) b -> a = b) v x
     then (fun (a : int) b -> a = b) d 0
     else (&&)
            (existsb (fun t ->
              (&&) ((fun (a : int) b -> a = b) (fst t) v)
                ((fun (a : int) b -> a = b) d ((+) (snd t) 1))) ts)
            (forallb (fun t ->
              (||) (negb ((fun (a : int) b -> a = b) (fst t) v))
                (if (fun (a : int) b -> a < b) (gain w x) (gain w v)
                 then (fun (a : int) b -> a <= b) d ((+) (snd t) 1)
                 else (fun (a : int) b -> a <= b) ((+) (snd t) 1) d)) ts))

type material = (player * role) list

(** val material_of : position -> material **)

let material_of p =
  map (fun m -> (m.owner, m.kind)) p.men

(** val is_same_man : (player * role) -> (player * role) -> bool **)

let is_same_man a b =
  (&&)
    (match fst a with
     | White -> (match fst b with
                 | White -> true
                 | Black -> false)
     | Black -> (match fst b with
                 | White -> false
                 | Black -> true))
    (match snd a with
     | King -> (match snd b with
                | King -> true
                | _ -> false)
     | Queen -> (match snd b with
                 | Queen -> true
                 | _ -> false)
     | Rook -> (match snd b with
                | Rook -> true
                | _ -> false)
     | Bishop -> (match snd b with
                  | Bishop -> true
                  | _ -> false)
     | Knight -> (match snd b with
                  | Knight -> true
                  | _ -> false)
     | Pawn -> (match snd b with
                | Pawn -> true
                | _ -> false))

(** val is_same_material : material -> material -> bool **)

let rec is_same_material a b =
  match a with
  | [] -> (match b with
           | [] -> true
           | _ :: _ -> false)
  | x :: a' ->
    (match b with
     | [] -> false
     | y :: b' -> (&&) (is_same_man x y) (is_same_material a' b'))

(** val can_hold : material -> score -> bool **)

let can_hold ms b =
  (||) ((fun n -> n land 1 = 1) b.code)
    (existsb (fun m ->
      (&&) (negb (is_same_man m (b.holder, King)))
        (is_same_man ((fst m), King) (b.holder, King))) ms)

(** val is_covered : material list -> position -> bool **)

let is_covered materials p =
  existsb (is_same_material (material_of p)) materials

(** val cells_of :
    (position -> cell option) -> (position -> score -> cell option) ->
    position -> cells option **)

let cells_of dump_entry dump_held p =
  match dump_entry p with
  | Some e -> Some { entry = e; least = (code_of e); later = (dump_held p) }
  | None -> None

(** val cells_after :
    (position -> cell option) -> (position -> score -> cell option) ->
    (position -> int) -> ply -> cells option **)

let cells_after dump_entry dump_held dump_own m =
  let q = m.next in
  (match cells_of dump_entry dump_held q with
   | Some c ->
     Some { entry = c.entry; least =
       (if m.is_reset
        then 0
        else (fun (a : int) b -> if a <= b then a else b) (dump_own q) c.least);
       later = c.later }
   | None -> None)

(** val check_pair : position -> cells -> cells list -> score -> bool **)

let check_pair p here ways b =
  (||) (negb (can_hold (material_of p) b))
    (match cell_at b here with
     | Some c ->
       (match all (cell_at b) ways with
        | Some ts -> agrees p.turn (outcome b) c ts
        | None -> false)
     | None -> false)

(** val check_codes : nat -> int -> int -> (int -> bool) -> bool **)

let rec check_codes fuel k top check =
  (||) ((fun (a : int) b -> a < b) top k)
    (match fuel with
     | O -> false
     | S less -> (&&) (check k) (check_codes less ((+) k 1) top check))

(** val is_cell : cell -> cell option -> bool **)

let is_cell c = function
| Some d ->
  (&&) ((fun (a : int) b -> a = b) (fst c) (fst d))
    ((fun (a : int) b -> a = b) (snd c) (snd d))
| None -> false

(** val check_scores : position -> int -> cells -> cells list -> bool **)

let check_scores p own here ways =
  let top =
    fold_right (fun c n ->
      (fun (a : int) b -> if a >= b then a else b) c.least n) here.least ways
  in
  (&&)
    (check_codes (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S (S
      O))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
      ((fun p -> 2 * p) 1)
      ((fun (a : int) b -> if a <= b then a else b) own top) (fun k ->
      (&&) (check_pair p here ways { holder = White; code = k })
        (check_pair p here ways { holder = Black; code = k })))
    ((||) ((fun (a : int) b -> a <= b) own top)
      (agrees p.turn 0 here.entry (map (fun c -> c.entry) ways)))

(** val check_legal :
    (position -> cell option) -> (position -> score -> cell option) ->
    (position -> int) -> material list -> position -> cells -> bool **)

let check_legal dump_entry dump_held dump_own materials p here =
  let plies = legal_plies p in
  let own = dump_own p in
  let b = { holder = (other p.turn); code = own } in
  (&&)
    ((&&)
      ((&&)
        ((&&)
          ((&&) ((fun (a : int) b -> a = b) own (code_with p (count plies)))
            ((fun (a : int) b -> a < b) own ((fun p -> 2 * p)
              ((fun p -> 2 * p) ((fun p -> 2 * p) ((fun p -> 1 + 2 * p)
              ((fun p -> 2 * p) ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p)
              ((fun p -> 1 + 2 * p) ((fun p -> 1 + 2 * p) 1)))))))))))
          (can_hold (material_of p) b)) (is_cell here.entry (cell_at b here)))
      (forallb (fun m -> is_covered materials m.next) plies))
    (match all (cells_after dump_entry dump_held dump_own) plies with
     | Some ways ->
       (&&) (check_pair p here ways b)
         (match p.passed with
          | Some _ -> true
          | None -> check_scores p own here ways)
     | None -> false)

(** val check_position :
    (position -> cell option) -> (position -> score -> cell option) ->
    (position -> int) -> material list -> position -> bool **)

let check_position dump_entry dump_held dump_own materials p =
  (||) (negb (legal p))
    (match cells_of dump_entry dump_held p with
     | Some here -> check_legal dump_entry dump_held dump_own materials p here
     | None -> (match p.passed with
                | Some _ -> true
                | None -> false))

(** val check_placements :
    material -> man list -> (man list -> bool) -> bool **)

let rec check_placements m placed check =
  match m with
  | [] -> check placed
  | p :: rest ->
    let (w, r) = p in
    forallb (fun s ->
      check_placements rest
        (app placed ({ owner = w; kind = r; place = s } :: [])) check) squares

(** val rights : man list -> square option list **)

let rights ms =
  None :: (map (fun m -> Some (ahead m ((~-) 1))) (filter is_pawn ms))

(** val check_men :
    (position -> cell option) -> (position -> score -> cell option) ->
    (position -> int) -> material list -> man list -> bool **)

let check_men dump_entry dump_held dump_own materials ms =
  forallb (fun w ->
    forallb (fun e ->
      check_position dump_entry dump_held dump_own materials { turn = w;
        men = ms; passed = e }) (rights ms)) (White :: (Black :: []))

(** val check_material :
    (position -> cell option) -> (position -> score -> cell option) ->
    (position -> int) -> material list -> material -> bool **)

let check_material dump_entry dump_held dump_own materials m =
  check_placements m [] (check_men dump_entry dump_held dump_own materials)
