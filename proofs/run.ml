(* Reads dumps and asks the proved checker. Not proved: docs/proofs.md says what you have to believe of it. *)
open Checker

(* A table: the columns of a dump, and for each placement where its held values begin. *)
type dump = {
  name : string;
  own : Bytes.t;
  entry : Bytes.t;
  plies : Bytes.t;
  held : Bytes.t;
  held_plies : Bytes.t;
  first : (int32, Bigarray.int32_elt, Bigarray.c_layout) Bigarray.Array1.t;
  rights : (int, int * int * int) Hashtbl.t; (* position and square passed -> own code, value, plies *)
}

let no_position = 255

(* Men, materials and names. *)

let letters = [ ('K', King); ('Q', Queen); ('R', Rook); ('B', Bishop); ('N', Knight); ('P', Pawn) ]

let material_named name =
  let _, men =
    String.fold_left
      (fun (side, men) letter ->
        if letter = 'v' then (Black, men) else (side, (side, List.assoc letter letters) :: men))
      (White, []) name
  in
  List.rev men

let name_of material =
  let side w =
    List.filter (fun (owner, _) -> owner = w) material
    |> List.map (fun (_, role) -> String.make 1 (fst (List.find (fun (_, r) -> r = role) letters)))
    |> String.concat ""
  in
  side White ^ "v" ^ side Black

let number_of_role = function King -> 0 | Queen -> 1 | Rook -> 2 | Bishop -> 3 | Knight -> 4 | Pawn -> 5
let number_of_man owner role = (match owner with White -> 1 | Black -> 7) + number_of_role role

(* Reading. *)

let code_of_signed signed = abs signed - 1
let outcome_of signed = if signed > 0 then 1000 - code_of_signed signed else code_of_signed signed - 1000
let cell_of signed plies = (outcome_of signed, plies)

let read_dump path =
  let file = open_in_bin path in
  if input_line file <> "tbgen pairs 1" then failwith (path ^ " is no dump");
  let name = input_line file in
  let rows, rights = Scanf.sscanf (input_line file) "%d %d" (fun rows rights -> (rows, rights)) in
  let places = 2 lsl (6 * List.length (material_named name)) in
  let read size =
    let bytes = Bytes.create size in
    really_input file bytes 0 size;
    bytes
  in
  let own = read places in
  let entry = read places in
  let plies = read (2 * places) in
  let held = read rows in
  let held_plies = read (2 * rows) in
  let index = read (8 * rights) in
  let passed = read rights in
  let own_there = read rights in
  let entry_there = read rights in
  let plies_there = read (2 * rights) in
  close_in file;
  let first = Bigarray.Array1.create Bigarray.int32 Bigarray.c_layout places in
  let next = ref 0 in
  for place = 0 to places - 1 do
    first.{place} <- Int32.of_int !next;
    let code = Bytes.get_uint8 own place in
    if code <> no_position then
      next := !next + (2 * max 0 (min code (code_of_signed (Bytes.get_int8 entry place)) - 1))
  done;
  if !next <> rows then failwith (path ^ " has another number of cells");
  let table = Hashtbl.create (2 * rights) in
  for n = 0 to rights - 1 do
    Hashtbl.add table
      ((64 * Int64.to_int (Bytes.get_int64_le index (8 * n))) + Bytes.get_uint8 passed n)
      (Bytes.get_uint8 own_there n, Bytes.get_int8 entry_there n, Bytes.get_uint16_le plies_there (2 * n))
  done;
  { name; own; entry; plies; held; held_plies; first; rights = table }

(* Finding the place of a position in a dump: by the men as they are listed, or with the colours exchanged. *)

type view = { dump : dump; is_flipped : bool; weights : int array (* of each man of the list *) }

let dumps : dump list ref = ref []
let views : view option option array = Array.make (13 * 13 * 13 * 13) None

let view_of_material material =
  let assign is_flipped dump =
    let slots = List.rev (material_named dump.name) in
    let slots = Array.of_list (List.map Option.some slots) in
    let take (owner, role) =
      let wanted = ((if is_flipped then other owner else owner), role) in
      let rec search n =
        if slots.(n) <> Some wanted then search (n - 1)
        else (
          slots.(n) <- None;
          1 lsl (6 * n))
      in
      search (Array.length slots - 1)
    in
    { dump; is_flipped; weights = Array.of_list (List.map take material) }
  in
  let sorted owner_of material = List.sort compare (List.map (fun (w, r) -> (owner_of w, r)) material) in
  let has owner_of dump = sorted owner_of material = sorted Fun.id (material_named dump.name) in
  match List.find_opt (has Fun.id) !dumps with
  | Some dump -> Some (assign false dump)
  | None -> Option.map (assign true) (List.find_opt (has other) !dumps)

let view_of p =
  let key = List.fold_left (fun key m -> (13 * key) + number_of_man m.owner m.kind) 0 p.men in
  match views.(key) with
  | Some view -> view
  | None ->
      let view = view_of_material (List.map (fun m -> (m.owner, m.kind)) p.men) in
      views.(key) <- Some view;
      view

let square_on view s = if view.is_flipped then (8 * (7 - s.rank)) + s.file else (8 * s.rank) + s.file

let place_of view p =
  let rec sum n place = function
    | [] -> place
    | m :: rest -> sum (n + 1) (place + (view.weights.(n) * square_on view m.place)) rest
  in
  let is_second_half = (p.turn = White) = view.is_flipped in
  sum 0 (if is_second_half then 1 lsl (6 * Array.length view.weights) else 0) p.men

let seen view (outcome, plies) = ((if view.is_flipped then -outcome else outcome), plies)

(* What the checker asks: functions without effects. *)

let right view p =
  match p.passed with
  | None -> None
  | Some e -> Hashtbl.find_opt view.dump.rights ((64 * place_of view p) + square_on view e)

let dump_own p =
  match view_of p with
  | None -> no_position
  | Some view -> (
      match right view p with
      | Some (own, _, _) -> own
      | None -> Bytes.get_uint8 view.dump.own (place_of view p))

let dump_entry p =
  match view_of p with
  | None -> None
  | Some view ->
      let signed, plies =
        match right view p with
        | Some (_, signed, plies) -> (signed, plies)
        | None ->
            let place = place_of view p in
            (Bytes.get_int8 view.dump.entry place, Bytes.get_uint16_le view.dump.plies (2 * place))
      in
      if signed = 0 then None else Some (seen view (cell_of signed plies))

let dump_held p =
  match view_of p with
  | None -> fun _ -> None
  | Some _ when p.passed <> None -> fun _ -> dump_entry p
  | Some view ->
      let dump = view.dump in
      let place = place_of view p in
      let least = min (Bytes.get_uint8 dump.own place) (code_of_signed (Bytes.get_int8 dump.entry place)) in
      let first = Int32.to_int dump.first.{place} in
      fun b ->
        if b.code < 2 || b.code > least then if b.code < 2 then dump_entry p else None
        else
          let is_second = (b.holder = White) = view.is_flipped in
          let n = first + (2 * (b.code - 2)) + if is_second then 1 else 0 in
          let signed = Bytes.get_int8 dump.held n in
          if signed = 0 then None
          else Some (seen view (cell_of signed (Bytes.get_uint16_le dump.held_plies (2 * n))))

(* Materials that captures and promotions lead to, each once, the given ones first. *)

let children material =
  let rec captures before = function
    | [] -> []
    | man :: after when snd man = King -> captures (before @ [ man ]) after
    | man :: after -> (before @ after) :: captures (before @ [ man ]) after
  in
  let rec promotions before = function
    | [] -> []
    | (owner, Pawn) :: after ->
        List.map (fun role -> before @ ((owner, role) :: after)) [ Queen; Rook; Bishop; Knight ]
        @ promotions (before @ [ (owner, Pawn) ]) after
    | man :: after -> promotions (before @ [ man ]) after
  in
  let promoted = promotions [] material in
  captures [] material @ promoted @ List.concat_map (captures []) promoted

let rec closure found = function
  | [] -> List.rev found
  | material :: rest when List.mem material found -> closure found rest
  | material :: rest -> closure (material :: found) (rest @ children material)

let load folder materials =
  let load_one material =
    if view_of_material material = None then
      let flipped = List.map (fun (w, r) -> (other w, r)) material in
      let order = List.sort compare in
      let path m = Filename.concat folder (name_of (order m) ^ ".pairs") in
      let path = if Sys.file_exists (path material) then path material else path flipped in
      dumps := read_dump path :: !dumps
  in
  List.iter load_one materials

(* The legal positions of a material by the specification, and their pairs. A dump that has more positions is refused. *)
let count_pairs material =
  let positions = ref 0 in
  let pairs = ref 0 in
  let scores own =
    if own < 2 then 1
    else
      List.concat_map (fun holder -> List.init (own - 1) (fun n -> { holder; code = n + 2 })) [ White; Black ]
      |> List.filter (can_hold material)
      |> List.length
  in
  let scores = Array.init 256 scores in
  let add p =
    if legal p then (
      incr positions;
      pairs := !pairs + scores.(dump_own p))
  in
  let add_men men =
    List.iter (fun turn -> add { turn; men; passed = None }) [ White; Black ];
    true
  in
  ignore (check_placements material [] add_men);
  let in_dump = ref 0 in
  let count code = if Char.code code <> no_position then incr in_dump in
  Option.iter (fun view -> Bytes.iter count view.dump.own) (view_of_material material);
  (!positions, !pairs, !in_dump)

let is_right materials material = check_material dump_entry dump_held dump_own materials material

let load_named folder names =
  let named = List.map material_named names in
  load folder (named @ List.concat_map children named);
  (named, closure [] named)

let check folder names =
  let named, materials = load_named folder names in
  let are_right = ref true in
  let check_one material =
    let start = Sys.time () in
    let positions, pairs, in_dump = count_pairs material in
    let is_right = positions = in_dump && is_right materials material in
    Printf.printf "%-6s %s %9d positions %11d pairs %7.1f s\n%!" (name_of material)
      (if is_right then "proved" else "REFUSED")
      positions pairs
      (Sys.time () -. start);
    are_right := !are_right && is_right
  in
  List.iter check_one named;
  let others = List.filter (fun material -> not (List.mem material named)) materials in
  if others <> [] then
    Printf.printf "provided that these are proved, too: %s\n" (String.concat " " (List.map name_of others));
  exit (if !are_right then 0 else 1)

(* Change one thing of a dump, ask the checker, and change it back. *)

type change = Entry | Entry_plies | Held | Held_plies | No_entry | Own

let position_at dump place =
  let material = material_named dump.name in
  let men = List.length material in
  let man n (owner, kind) =
    let square = (place lsr (6 * (men - 1 - n))) land 63 in
    { owner; kind; place = { file = square land 7; rank = square lsr 3 } }
  in
  let turn = if place lsr (6 * men) = 0 then White else Black in
  { turn; men = List.mapi man material; passed = None }

let other_than old limit =
  let drawn = Random.int (limit - 1) in
  if drawn >= old then drawn + 1 else drawn

let change_one dump change =
  let rec draw_place () =
    let place = Random.int (Bytes.length dump.own) in
    let own = Bytes.get_uint8 dump.own place in
    let least = min own (code_of_signed (Bytes.get_int8 dump.entry place)) in
    let needs_held = change = Held || change = Held_plies in
    if own = no_position || (needs_held && least < 2) then draw_place ()
    else
      let n = Int32.to_int dump.first.{place} + if needs_held then Random.int (2 * (least - 1)) else 0 in
      if needs_held && Bytes.get_int8 dump.held n = 0 then draw_place () else (place, n)
  in
  let place, n = draw_place () in
  let bytes, at, size =
    match change with
    | Entry | No_entry -> (dump.entry, place, 1)
    | Entry_plies -> (dump.plies, 2 * place, 2)
    | Held -> (dump.held, n, 1)
    | Held_plies -> (dump.held_plies, 2 * n, 2)
    | Own -> (dump.own, place, 1)
  in
  let old = if size = 1 then Bytes.get_uint8 bytes at else Bytes.get_uint16_le bytes at in
  let set value = if size = 1 then Bytes.set_uint8 bytes at value else Bytes.set_uint16_le bytes at value in
  let near = if Random.bool () then old + 1 else max 0 (old - 1) in
  let far = other_than old (if size = 1 then 256 else 65536) in
  let changed = if change = No_entry then 0 else if Random.bool () && near <> old then near land 65535 else far in
  set (if size = 1 then changed land 255 else changed);
  (place, fun () -> set old)

(* A no to one position is a no to the table: Sound.v, position_checked. A yes to it asks the table whole. *)
let mutate folder count seed names =
  let named, materials = load_named folder names in
  Random.init seed;
  let refused = ref 0 in
  let unreadable = ref 0 in
  for _ = 1 to count do
    let material = List.nth named (Random.int (List.length named)) in
    let dump = (Option.get (view_of_material material)).dump in
    let changes = [| Entry; Entry_plies; Held; Held_plies; No_entry; Own |] in
    let place, undo = change_one dump changes.(Random.int (Array.length changes)) in
    let is_fine =
      try
        check_position dump_entry dump_held dump_own materials (position_at dump place)
        && is_right materials material
      with Invalid_argument _ ->
        incr unreadable;
        false
    in
    undo ();
    if not is_fine then incr refused
  done;
  Printf.printf "%d of %d changed dumps refused, %d of them because they cannot be read\n" !refused count !unreadable;
  exit (if !refused = count then 0 else 1)

(* Answer lines such as "KPvK w 4,12,60 - 3": the own code and the number of move sequences of so many plies. *)
let answer line =
  Scanf.sscanf line "%s %c %s %s %d" (fun name turn squares passed depth ->
      let square n = { file = n land 7; rank = n lsr 3 } in
      let place (owner, kind) n = { owner; kind; place = square (int_of_string n) } in
      let p =
        {
          turn = (if turn = 'w' then White else Black);
          men = List.map2 place (material_named name) (String.split_on_char ',' squares);
          passed = (if passed = "-" then None else Some (square (int_of_string passed)));
        }
      in
      if legal p then
        let rec nat n = if n = 0 then O else S (nat (n - 1)) in
        Printf.printf "%d %d\n" (own_code p) (perft (nat depth) p)
      else print_endline "illegal")

let rec answer_all () =
  match input_line stdin with
  | exception End_of_file -> ()
  | line ->
      answer line;
      answer_all ()

let () =
  match Array.to_list Sys.argv with
  | _ :: "check" :: folder :: names -> check folder names
  | _ :: "mutate" :: folder :: count :: seed :: names -> mutate folder (int_of_string count) (int_of_string seed) names
  | [ _; "perft" ] -> answer_all ()
  | _ ->
      prerr_endline "run check FOLDER MATERIAL ... | mutate FOLDER COUNT SEED MATERIAL ... | perft";
      exit 2
