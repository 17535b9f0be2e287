"""Known mistakes of a1_rnn, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.mistakes import edit, mistakes_of

VOCAB = mistakes_of(
    "build_vocab",
    ids_by_appearance=edit(
        "characters = sorted(set(text))",
        "characters = dict.fromkeys(text)",
        "every_character_once",
        "Your ids follow the order in which characters first appear. Then another text with the same characters "
        "gets other ids; the order agreed on is the sorted one.",
    ),
    ids_from_one=edit(
        "return {character: index for index, character in enumerate(characters)}",
        "return {character: index for index, character in enumerate(characters, start=1)}",
        "every_character_once",
        "Your ids start at 1. They are used as indices, so the first one is 0 and the last one is one less than "
        "how many there are.",
    ),
    vocab_inverted=edit(
        "return {character: index for index, character in enumerate(characters)}",
        "return dict(enumerate(characters))",
        "every_character_once",
        "Your dict leads from ids to characters. A vocabulary is asked for the id of a character.",
    ),
    vocab_counts=edit(
        "return {character: index for index, character in enumerate(characters)}",
        "return {character: text.count(character) for character in characters}",
        "every_character_once",
        "Your dict holds how often each character occurs. Then two characters may share a number, and you could not "
        "tell them apart again.",
    ),
    vocab_with_duplicates=edit(
        "characters = sorted(set(text))",
        "characters = sorted(text)",
        "every_character_once",
        "Your numbering goes over every character of the text instead of every different one, so ids are left out "
        "where a character repeats.",
    ),
    vocab_by_position=edit(
        "characters = sorted(set(text))",
        "characters = text",
        "every_character_once",
        "Your ids are positions in the text, for a character that repeats the last one. There are as many ids as "
        "different characters, without gaps.",
    ),
    vocab_lowercases=edit(
        "characters = sorted(set(text))",
        "characters = sorted(set(text.lower()))",
        "every_character_once",
        "Your vocabulary turns capitals into small letters. To a model that reads characters, H and h are two tokens.",
    ),
    vocab_drops_blanks=edit(
        "characters = sorted(set(text))",
        'characters = sorted(set("".join(text.split())))',
        "every_character_once",
        "Your vocabulary has no blanks or line ends. They are characters like any other, and without them the text "
        "cannot be put together again.",
    ),
    vocab_drops_signs=edit(
        "characters = sorted(set(text))",
        "characters = sorted({character for character in text if character.isalnum()})",
        "every_character_once",
        "Your vocabulary keeps letters and digits only. Blanks, commas and line ends are tokens, too.",
    ),
    vocab_of_words=edit(
        "characters = sorted(set(text))",
        "characters = sorted(set(text.split()))",
        "every_character_once",
        "Your tokens are words. Here they are characters, blanks and signs among them: a text of three words may have "
        "ten of them.",
    ),
    vocab_ignores_case_in_order=edit(
        "characters = sorted(set(text))",
        "characters = sorted(set(text), key=lambda character: (character.lower(), character))",
        "every_character_once",
        "Your order puts small and capital letters side by side, as a dictionary does. Python sorts by the number "
        "of the character, in which all capitals come first.",
    ),
    vocab_by_frequency=edit(
        "characters = sorted(set(text))",
        "characters = sorted(sorted(set(text)), key=text.count, reverse=True)",
        "every_character_once",
        "Your ids go by how often a character occurs. The order agreed on is that of the characters alone.",
    ),
    vocab_reserves_zero=edit(
        "return {character: index for index, character in enumerate(characters)}",
        'return {"<pad>": 0, **{character: index for index, character in enumerate(characters, start=1)}}',
        "every_character_once",
        "Your vocabulary has a token for filler. That is common in practice, but here the characters of the text "
        "are all there is.",
    ),
    vocab_from_the_end=edit(
        "characters = sorted(set(text))",
        "characters = sorted(set(text), reverse=True)",
        "hello_has_four_tokens",
        "Your characters are sorted from the last to the first. The smallest one gets the id 0.",
    ),
    vocab_as_code_points=edit(
        "return {character: index for index, character in enumerate(characters)}",
        "return {character: ord(character) for character in characters}",
        "hello_has_four_tokens",
        "Your ids are the numbers that Python gives to characters (`ord`). Ids count the different characters of the "
        "text from 0, without gaps.",
    ),
    vocab_by_place_in_the_sorted_text=edit(
        "return {character: index for index, character in enumerate(characters)}",
        "return {character: sorted(text).index(character) for character in characters}",
        "hello_has_four_tokens",
        "Your ids are places in the sorted text, in which characters repeat. There are as many ids as different "
        "characters, without gaps.",
    ),
    vocab_by_first_position=edit(
        "return {character: index for index, character in enumerate(characters)}",
        "return {character: text.index(character) for character in characters}",
        "hello_has_four_tokens",
        "Your ids are the places at which characters first stand in the text. They count the different characters in "
        "sorted order, without gaps.",
    ),
    vocab_strips=edit(
        "characters = sorted(set(text))",
        "characters = sorted(set(text.strip()))",
        "often_or_seldom_is_all_the_same",
        "Your text loses the blanks and line ends at both of its ends (`strip`). They are characters like any other.",
    ),
    vocab_drops_line_ends=edit(
        "characters = sorted(set(text))",
        'characters = sorted(set(text.replace("\\n", "")))',
        "often_or_seldom_is_all_the_same",
        "Your vocabulary has no line end. It is a character like any other, and a model that writes texts needs it.",
    ),
    vocab_with_a_token_for_unknown=edit(
        "return {character: index for index, character in enumerate(characters)}",
        'return {**{character: index for index, character in enumerate(characters)}, "<unk>": len(characters)}',
        "hello_has_four_tokens",
        "Your vocabulary has a token for unknown characters. That is common in practice, but here the characters of "
        "the text are all there is.",
    ),
    vocab_with_its_inverse=edit(
        "return {character: index for index, character in enumerate(characters)}",
        "return {character: index for index, character in enumerate(characters)}, dict(enumerate(characters))",
        "hello_has_four_tokens",
        "Your function returns two dicts, there and back. It is asked for one: from characters to ids.",
    ),
    vocab_as_a_list=edit(
        "return {character: index for index, character in enumerate(characters)}",
        "return characters",
        "hello_has_four_tokens",
        "Your result is a list of characters. A vocabulary is a dict that says the id of a character.",
    ),
    vocab_rarest_first=edit(
        "characters = sorted(set(text))",
        "characters = sorted(sorted(set(text)), key=text.count)",
        "hello_has_four_tokens",
        "Your ids go by how often a character occurs, the rarest first. The order agreed on is that of the characters "
        "alone.",
    ),
    vocab_drops_spaces_alone=edit(
        "characters = sorted(set(text))",
        'characters = sorted(set(text.replace(" ", "")))',
        "hi_class_has_eight_tokens",
        "Your vocabulary has no blank. It is a character like any other, and without it the words of a text run together.",
    ),
    vocab_sorted_in_place=edit(
        "characters = sorted(set(text))",
        "characters = list(set(text)).sort()",
        "hello_has_four_tokens",
        "Your list is sorted in place (`sort`), which returns nothing, and it is this nothing that you go on with. `sorted` "
        "returns the sorted list.",
    ),
)

ENCODE = mistakes_of(
    "encode",
    encodes_as_code_points=edit(
        "ids = [vocab[character] for character in text]",
        "ids = [ord(character) for character in text]",
        "any_text_in_any_vocabulary",
        "Your numbers are those that Python gives to characters (`ord`). The vocabulary has its own, small ones.",
    ),
    encode_makes_its_own_vocabulary=edit(
        "ids = [vocab[character] for character in text]",
        "vocab = build_vocab(text)\n    ids = [vocab[character] for character in text]",
        "any_text_in_any_vocabulary",
        "Your ids come from a vocabulary that is built again from this very text. Then the same character gets "
        "another number in every text, and a model cannot learn what it means.",
    ),
    encode_by_position_in_vocabulary=edit(
        "ids = [vocab[character] for character in text]",
        "ids = [list(vocab).index(character) for character in text]",
        "any_text_in_any_vocabulary",
        "Your ids are the places at which characters stand in the dict. What counts is the number written there.",
    ),
    encode_returns_a_list=edit(
        "return np.array(ids, dtype=int)",
        "return ids",
        "any_text_in_any_vocabulary",
        "Your ids come back as a list. A numpy array is asked for, since what follows takes whole batches of ids "
        "and compares, slices and indexes with them.",
    ),
    encode_as_fractions=edit(
        "return np.array(ids, dtype=int)",
        "return np.array(ids, dtype=float)",
        "ids_come_from_the_vocabulary",
        "Your ids have the right values and are fractions, as those are which `np.zeros` makes. Ids are whole numbers, since arrays are indexed with "
        "them: say dtype=int.",
    ),
    encode_one_hot=edit(
        "return np.array(ids, dtype=int)",
        "return np.eye(len(vocab))[ids]",
        "any_text_in_any_vocabulary",
        "Your result holds a one-hot vector for each character. That is what the network will read; encoding stops "
        "at the number.",
    ),
    encode_each_character_once=edit(
        "ids = [vocab[character] for character in text]",
        "ids = [vocab[character] for character in dict.fromkeys(text)]",
        "any_text_in_any_vocabulary",
        "Your result holds every character once. A text is a sequence, in which characters repeat.",
    ),
    encode_sorts=edit(
        "ids = [vocab[character] for character in text]",
        "ids = sorted(vocab[character] for character in text)",
        "any_text_in_any_vocabulary",
        "Your ids are sorted. The order of the characters is what a sequence model lives on.",
    ),
    encode_skips_blanks=edit(
        "ids = [vocab[character] for character in text]",
        "ids = [vocab[character] for character in text if not character.isspace()]",
        "hi_class_is_nine_tokens",
        'Your ids leave out blanks and line ends. "Hi, class" is nine tokens long, and the blank is one of them.',
    ),
    encode_eats_the_vocabulary=edit(
        "ids = [vocab[character] for character in text]",
        'ids = [vocab[character] for character in text]\n    vocab["<pad>"] = len(vocab)',
        "encoding_leaves_the_vocabulary_alone",
        "Your function adds an entry to the caller's vocabulary. The ids are right, but from now on the model has "
        "one token more than its weights allow for.",
    ),
    encode_by_sorted_characters=edit(
        "ids = [vocab[character] for character in text]",
        "ids = [sorted(vocab).index(character) for character in text]",
        "ids_come_from_the_vocabulary",
        "Your ids are places among the sorted characters. The vocabulary that is passed in says which number belongs "
        "to which character, and may say otherwise.",
    ),
    encode_lowercases=edit(
        "ids = [vocab[character] for character in text]",
        "ids = [vocab[character.lower()] for character in text]",
        "hi_class_is_nine_tokens",
        "Your characters are turned into small letters before they are looked up. H and h are two tokens, and the "
        "vocabulary may hold only one of them.",
    ),
    encode_adds_an_axis=edit(
        "return np.array(ids, dtype=int)",
        "return np.array([ids], dtype=int)",
        "hi_class_is_nine_tokens",
        "Your ids have a batch axis in front. One text is a vector of as many ids as it has characters.",
    ),
    encode_looks_up_the_whole_text=edit(
        "return np.array(ids, dtype=int)",
        "return np.array(vocab[text])",
        "hi_class_is_nine_tokens",
        "Your code looks up the whole text at once. The vocabulary knows single characters.",
    ),
    encode_as_a_column=edit(
        "return np.array(ids, dtype=int)",
        "return np.array(ids, dtype=int)[:, None]",
        "hi_class_is_nine_tokens",
        "Your ids stand in a column, with an axis of length one behind them. One text is a vector of as many ids as it has "
        "characters.",
    ),
    encode_at_first_places=edit(
        "ids = [vocab[character] for character in text]",
        "ids = [vocab[c] if text.index(c) == at else 0 for at, c in enumerate(text)]",
        "hi_class_is_nine_tokens",
        "Your ids are written where a character first stands (`text.index`), and where it stands again a 0 is left. Count the "
        "places while you go through the text.",
    ),
)

DECODE = mistakes_of(
    "decode",
    decode_as_code_points=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(chr(int(index)) for index in ids)',
        "any_ids_in_any_vocabulary",
        "Your characters are those that Python has under these numbers (`chr`). The ids are the vocabulary's own.",
    ),
    decode_by_position=edit(
        "characters = {index: character for character, index in vocab.items()}",
        "characters = list(vocab)",
        "any_ids_in_any_vocabulary",
        "Your function takes an id for the place at which a character stands in the dict. That holds only as long "
        "as the entries happen to stand in the order of their ids.",
    ),
    decode_by_sorted_characters=edit(
        "characters = {index: character for character, index in vocab.items()}",
        "characters = sorted(vocab)",
        "any_ids_in_any_vocabulary",
        "Your function takes for granted that ids follow the order of the characters. The vocabulary that is "
        "passed in says which number belongs to which character, and may say otherwise.",
    ),
    decode_joins_with_blanks=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return " ".join(characters[int(index)] for index in ids)',
        "any_ids_in_any_vocabulary",
        "Your text has blanks between all characters. Blanks are tokens of their own here, and stand where the ids "
        "say so.",
    ),
    decode_returns_a_list=edit(
        'return "".join(characters[int(index)] for index in ids)',
        "return [characters[int(index)] for index in ids]",
        "any_ids_in_any_vocabulary",
        "Your characters come back one by one in a list. They belong together as one string.",
    ),
    decode_through_the_vocabulary=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(vocab[int(index)] for index in ids)',
        "any_ids_in_any_vocabulary",
        "Your function looks up an id among the characters. The dict leads from characters to ids, so it has to be "
        "turned round first.",
    ),
    decode_off_by_one=edit(
        "characters = {index: character for character, index in vocab.items()}",
        "characters = dict(enumerate(sorted(vocab, key=vocab.get), start=1))",
        "any_ids_in_any_vocabulary",
        "Your ids are counted from 1. The first character has the id 0.",
    ),
    decode_strips=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(characters[int(index)] for index in ids if not characters[int(index)].isspace())',
        "decode_undoes_encode",
        "Your text has lost its blanks and line ends. They have ids like all other characters.",
    ),
    decode_by_order_of_ids=edit(
        "characters = {index: character for character, index in vocab.items()}",
        "characters = sorted(vocab, key=vocab.get)",
        "ids_may_be_missing",
        "Your function lines the characters up by their ids and takes an id for a place in that line. Where an id is "
        "missing from the vocabulary, all later ones stand one place further to the front.",
    ),
    decode_joins_repeats=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(characters[int(i)] for at, i in enumerate(ids) if at == 0 or i != ids[at - 1])',
        "numbers_become_hello",
        "Your text has one character where an id stands twice in a row. Every id is a character, repeated or not.",
    ),
    decode_skips_zero=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(characters[int(index)] for index in ids if index)',
        "numbers_become_hello",
        "Your text leaves out the id 0. It is the id of a character like any other (`if index` is False for 0).",
    ),
    decode_stops_at_zero=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'upto = [*ids, 0].index(0)\n    return "".join(characters[int(index)] for index in ids[:upto])',
        "numbers_become_hello",
        "Your text ends where the id 0 stands. It is the id of a character like any other, not an end.",
    ),
    decode_strips_the_ends=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(characters[int(index)] for index in ids).strip()',
        "decode_undoes_encode",
        "Your text has lost the blanks or line ends at its ends (`strip`). They have ids like all other characters.",
    ),
    decode_from_the_end=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(characters[int(index)] for index in ids[::-1])',
        "numbers_become_hello",
        "Your text is written from the last id to the first.",
    ),
    decode_finds_nothing_in_the_vocabulary=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(vocab.get(int(index), "") for index in ids)',
        "numbers_become_hello",
        "Your function looks up ids among the characters, finds none, and writes nothing (`get`). The dict leads from "
        "characters to ids, so it has to be turned round first.",
    ),
    decode_sorts_ids_alone=edit(
        "characters = {index: character for character, index in vocab.items()}",
        "characters = dict(zip(sorted(vocab.values()), vocab))",
        "a_vocabulary_in_any_order",
        "Your ids are sorted and your characters are not, so they no longer belong together.",
    ),
    decode_sorts_characters_alone=edit(
        "characters = {index: character for character, index in vocab.items()}",
        "characters = dict(zip(vocab.values(), sorted(vocab)))",
        "a_vocabulary_in_any_order",
        "Your characters are sorted and your ids are not, so they no longer belong together.",
    ),
    decode_writes_the_numbers=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(str(index) for index in ids)',
        "numbers_become_hello",
        "Your text is made of the numbers themselves. Look up which character each of them stands for.",
    ),
    decode_looks_up_all_at_once=edit(
        'return "".join(characters[int(index)] for index in ids)',
        'return "".join(characters[ids])',
        "numbers_become_hello",
        "Your code looks up the whole array at once. A dict knows single ids.",
    ),
    decode_by_a_list_of_its_length=edit(
        "characters = {index: character for character, index in vocab.items()}",
        'characters = [""] * len(vocab)\n    for character, index in vocab.items():\n        characters[index] = character',
        "ids_may_be_missing",
        "Your list has as many places as the vocabulary has characters. Ids may be missing, so the largest may be larger than "
        "that.",
    ),
    decode_eats_the_vocabulary=edit(
        "characters = {index: character for character, index in vocab.items()}",
        "characters = {}\n    while vocab:\n        character, index = vocab.popitem()\n        characters[index] = character",
        "a_vocabulary_in_any_order",
        "Your function takes the entries out of the caller's vocabulary. The text is right, but the next one cannot be decoded.",
    ),
)

SOFTMAX = mistakes_of(
    "softmax",
    softmax_overflows=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x",
        "a_row_may_span_thousands",
        "Your exponential overflows (or all of them become zero), and what comes out is no number. A softmax stays "
        "the same when a constant is taken off all entries that share a sum.",
    ),
    softmax_global_max=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x - x.max()",
        "every_slice_has_its_own_largest",
        "Your constant is the largest entry of the whole array. A row far below it gets only zeros to share, and "
        "zero divided by zero is no number.",
    ),
    softmax_subtracts_mean=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x - x.mean(axis=axis, keepdims=True)",
        "a_row_may_span_thousands",
        "Your constant is the mean. An entry may lie more than 709 above the mean, and its exponential still "
        "overflows.",
    ),
    softmax_subtracts_min=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x - x.min(axis=axis, keepdims=True)",
        "a_row_may_span_thousands",
        "Your constant is the smallest entry, which makes all others positive. It is large exponents that overflow.",
    ),
    softmax_ignores_axis=edit(
        "    shifted = x - x.max(axis=axis, keepdims=True)",
        "    axis = -1\n    shifted = x - x.max(axis=axis, keepdims=True)",
        "shares_along_any_axis",
        "Your shares always sum to one along the last axis. The caller says which axis it is.",
    ),
    softmax_over_first_axis=edit(
        "    shifted = x - x.max(axis=axis, keepdims=True)",
        "    axis = 0\n    shifted = x - x.max(axis=axis, keepdims=True)",
        "shares_along_any_axis",
        "Your shares always sum to one along the first axis. The caller says which axis it is, and it is the last "
        "one unless said otherwise.",
    ),
    softmax_over_everything=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised / raised.sum()",
        "shares_along_any_axis",
        "Your shares sum to one over the whole array. Each slice along the axis has a total of its own.",
    ),
    softmax_max_without_keepdims=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x - x.max(axis=axis)",
        "shares_along_any_axis",
        "Your maximum has lost its axis (`keepdims`), so numpy either cannot subtract it or lines it up with the "
        "wrong entries.",
    ),
    softmax_sum_without_keepdims=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised / raised.sum(axis=axis)",
        "shares_along_any_axis",
        "Your sum has lost its axis (`keepdims`), so numpy either cannot divide by it or divides by the sum of "
        "another slice.",
    ),
    softmax_without_exponential=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return x / x.sum(axis=axis, keepdims=True)",
        "shares_along_any_axis",
        "Your shares are the numbers divided by their sum. Numbers may be negative, shares may not; that is what "
        "the exponential is for.",
    ),
    softmax_of_absolute_values=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return np.abs(x) / np.abs(x).sum(axis=axis, keepdims=True)",
        "shares_along_any_axis",
        "Your shares are absolute values divided by their sum. Then -3 counts as much as 3, while a softmax keeps "
        "the order of the numbers.",
    ),
    softmax_base_two=edit(
        "raised = np.exp(shifted)",
        "raised = np.exp2(shifted)",
        "shares_along_any_axis",
        "Your powers are powers of two. The softmax is made with e, so yours is too even.",
    ),
    softmin=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x.min(axis=axis, keepdims=True) - x",
        "shares_along_any_axis",
        "Your largest share goes to the smallest number. A sign has been turned.",
    ),
    softmax_returns_logarithms=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return shifted - np.log(raised.sum(axis=axis, keepdims=True))",
        "shares_along_any_axis",
        "Your result holds logarithms of shares. They are useful further on, but here the shares themselves are "
        "asked for.",
    ),
    softmax_not_normalised=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised",
        "shares_along_any_axis",
        "Your exponentials are not divided by anything: they are in proportion, but do not sum to one.",
    ),
    softmax_divides_by_max=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x / x.max(axis=axis, keepdims=True)",
        "shares_along_any_axis",
        "Your numbers are divided by the largest one. Only adding or subtracting a constant leaves a softmax as it "
        "is; dividing changes how far apart the numbers are.",
    ),
    softmax_in_place=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = np.subtract(x, x.max(axis=axis, keepdims=True), out=x)",
        "softmax_leaves_its_input_alone",
        "Your subtraction is written into the caller's array (`-=` does that). The shares are right, but the "
        "numbers that were passed in are gone.",
    ),
    softmax_raised_in_place=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)\n    raised = np.exp(shifted)",
        "x -= x.max(axis=axis, keepdims=True)\n    raised = np.exp(x, out=x)",
        "shares_leave_x_alone",
        "Your function writes the exponentials into the caller's x (`x -= ...`, `out=x`). The result is right, but "
        "the caller's scores are gone. Make a new array.",
    ),
    softmax_subtracts_largest_absolute=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x - np.abs(x).max(axis=axis, keepdims=True)",
        "thousands_do_not_overflow",
        "Your constant is the largest absolute value. Of a row that lies far below zero it makes numbers twice as far "
        "below, whose exponentials are all zero, and zero divided by zero is no number.",
    ),
    softmax_sum_ignores_axis=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised / raised.sum(axis=-1, keepdims=True)",
        "along_the_axis_that_is_asked_for",
        "Your sum always runs along the last axis, your maximum along the axis that was asked for. Both belong to the "
        "same slice.",
    ),
    softmax_adds_one=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised / (1.0 + raised.sum(axis=axis, keepdims=True))",
        "shares_of_three",
        "Your sum has an extra one in it, as the sigmoid has. A share is divided by the sum of the exponentials alone.",
    ),
    softmax_divides_by_largest_absolute=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x / np.abs(x).max(axis=axis, keepdims=True)",
        "shares_of_three",
        "Your numbers are divided by the largest absolute value. Only adding or subtracting a constant leaves a "
        "softmax as it is; dividing changes how far apart the numbers are.",
    ),
    softmax_max_ignores_axis=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x - x.max(axis=-1, keepdims=True)",
        "along_the_axis_that_is_asked_for",
        "Your maximum always runs along the last axis, your sum along the axis that was asked for. Then different "
        "constants come off entries that share a sum.",
    ),
    softmax_axis_stays_moved=edit(
        "    shifted = x - x.max(axis=axis, keepdims=True)",
        "    x, axis = np.moveaxis(x, axis, -1), -1\n    shifted = x - x.max(axis=axis, keepdims=True)",
        "along_the_axis_that_is_asked_for",
        "Your axis is moved to the end and stays there. The shares have the shape of x, with each axis in its place.",
    ),
    softmax_divides_by_mean=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised / raised.mean(axis=axis, keepdims=True)",
        "shares_of_three",
        "Your exponentials are divided by their mean. Shares sum to one, so it is their sum.",
    ),
    softmax_divides_by_length=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised / np.sqrt((raised**2).sum(axis=axis, keepdims=True))",
        "shares_of_three",
        "Your exponentials are divided by the root of their sum of squares. Shares sum to one, so it is their sum.",
    ),
    softmax_of_shares=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x / x.sum(axis=axis, keepdims=True)",
        "shares_of_three",
        "Your numbers are divided by their sum before the exponential. It is the exponentials that are divided by their "
        "sum.",
    ),
    softmax_max_over_first_axis=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x - x.max(axis=0, keepdims=True)",
        "softmax_takes_a_batch",
        "Your maximum always runs along the first axis, your sum along the axis that was asked for. Then different "
        "constants come off entries that share a sum.",
    ),
    softmax_clips_exponents=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = np.clip(x, -700.0, 700.0)",
        "thousands_do_not_overflow",
        "Your numbers are cut off at a limit before the exponential. Nothing overflows, but all numbers beyond the limit get the "
        "same share. Subtract a constant instead.",
    ),
    softmax_subtracts_first=edit(
        "shifted = x - x.max(axis=axis, keepdims=True)",
        "shifted = x - np.take(x, [0], axis=axis)",
        "thousands_do_not_overflow",
        "Your constant is the first entry. Another one may lie more than 709 above it, and its exponential still overflows.",
    ),
    softmax_divides_by_sum_of_numbers=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised / x.sum(axis=axis, keepdims=True)",
        "shares_of_three",
        "Your exponentials are divided by the sum of the numbers. It is the sum of the exponentials that makes shares of them.",
    ),
    softmax_keepdim_as_in_torch=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return raised / np.sum(raised, axis=axis, keepdim=True)",
        "shares_of_three",
        "Your argument has torch's name, `keepdim`. In numpy it is `keepdims`.",
    ),
    softmax_by_sigmoids=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return 1.0 / (1.0 + np.exp(-x))",
        "shares_of_three",
        "Your shares are sigmoids, each of one number by itself, and do not sum to one.",
    ),
    softmax_axes_moved_back_wrong=edit(
        "return raised / raised.sum(axis=axis, keepdims=True)",
        "return np.moveaxis(np.moveaxis(raised / raised.sum(axis=axis, keepdims=True), axis, 0), -1, axis)",
        "softmax_takes_a_batch",
        "Your shares come back with their axes in another order. What `moveaxis(x, axis, 0)` does is undone by "
        "`moveaxis(shares, 0, axis)`.",
    ),
)

STEP = mistakes_of(
    "rnn_step",
    W_h_transposed=edit(
        "from_past = h_prev @ W_h.T",
        "from_past = h_prev @ W_h",
        "steps_of_any_size",
        "Your W_h works transposed. A state is a row of your batch and the formula multiplies a column, so for "
        "rows the matrix changes sides and is turned over; being square, it does not complain.",
    ),
    W_x_transposed=edit(
        "from_input = x_t @ W_x.T",
        "from_input = x_t @ W_x",
        "as_many_features_as_units",
        "Your W_x works transposed. It is laid out (hidden, input), so look at which of its axes meets the "
        "features of a row.",
    ),
    both_matrices_transposed=edit(
        "    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n",
        "    from_input = x_t @ W_x\n    from_past = h_prev @ W_h\n",
        "as_many_features_as_units",
        "Your W_x and W_h both work transposed. Weights are laid out (out, in), and a batch of rows meets the last "
        "axis of each.",
    ),
    columns_for_rows=edit(
        "    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n",
        "    from_input = np.dot(W_x, x_t)\n    from_past = np.dot(W_h, h_prev)\n",
        "steps_of_any_size",
        "Your products have the matrix on the left, as the formula does for one column vector. A batch is a stack "
        "of rows, so the features that meet the matrix stand in its last axis.",
    ),
    columns_for_rows_by_operator=edit(
        "    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n",
        "    from_input = W_x @ x_t\n    from_past = W_h @ h_prev\n",
        "steps_of_any_size",
        "Your products have the matrix on the left, as the formula does for one column vector. A batch is a stack "
        "of rows, so the features that meet the matrix stand in its last axis.",
    ),
    weights_swapped=edit(
        "    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n",
        "    from_input = x_t @ W_h.T\n    from_past = h_prev @ W_x.T\n",
        "as_many_features_as_units",
        "Your W_x and W_h have changed places. W_x is for what is read, W_h for what is remembered.",
    ),
    step_without_bias=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input + from_past)",
        "steps_of_any_size",
        "Your step has no bias. With it, a unit can be on even when nothing is read and nothing remembered.",
    ),
    matrices_joined_the_other_way=edit(
        "from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T",
        "from_input = np.concatenate([x_t, h_prev], axis=-1) @ np.concatenate([W_h, W_x], axis=1).T\n    from_past = 0.0",
        "the_second_step_of_hello",
        "You join x and h, and the two matrices in the other order, so each matrix meets numbers of the other's. Both are joined in one "
        "order: [x, h] goes with [W_x, W_h].",
    ),
    bias_outside_tanh=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input + from_past) + b",
        "steps_of_any_size",
        "Your bias is added after the tanh, so your state can leave the range from -1 to 1. It belongs to the sum "
        "that goes into the tanh.",
    ),
    bias_twice=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input + b + from_past + b)",
        "steps_of_any_size",
        "Your bias is added twice, once to each product. PyTorch has two biases for that; here there is one for "
        "the sum.",
    ),
    sum_of_tanhs=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input) + np.tanh(from_past) + b",
        "steps_of_any_size",
        "Your two products each go through a tanh of their own before they are added. What is read and what is "
        "remembered have to meet inside one tanh, or neither can change what the other does.",
    ),
    sum_of_tanhs_with_bias_inside=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input + b) + np.tanh(from_past)",
        "steps_of_any_size",
        "Your step adds two tanhs, one for the input with its bias and one for the past. There is one tanh, around "
        "the whole sum.",
    ),
    tanh_of_input_only=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input + b) + from_past",
        "steps_of_any_size",
        "Your past is added outside the tanh. Nothing then keeps the state between -1 and 1, and it can grow at "
        "every step.",
    ),
    sigmoid_for_tanh=edit(
        "return np.tanh(from_input + from_past + b)",
        "return 1.0 / (1.0 + np.exp(-(from_input + from_past + b)))",
        "steps_of_any_size",
        "Your units use the sigmoid, which lies between 0 and 1. The formula has tanh, between -1 and 1 and zero "
        "at zero.",
    ),
    relu_for_tanh=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.maximum(from_input + from_past + b, 0.0)",
        "steps_of_any_size",
        "Your units are rectified (ReLU). The formula has tanh, which also keeps the state from growing step by step.",
    ),
    step_without_tanh=edit(
        "return np.tanh(from_input + from_past + b)",
        "return from_input + from_past + b",
        "steps_of_any_size",
        "Your step has no tanh. A network of sums alone is one big sum, however many steps it takes.",
    ),
    past_forgotten=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input + b)",
        "steps_of_any_size",
        "Your new state does not depend on the old one. Without that there is no memory, and nothing recurrent.",
    ),
    input_ignored=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_past + b)",
        "steps_of_any_size",
        "Your new state does not depend on the input of this step.",
    ),
    past_without_W_h=edit(
        "from_past = h_prev @ W_h.T",
        "from_past = h_prev",
        "steps_of_any_size",
        "Your old state is added as it is. W_h decides which unit listens to which.",
    ),
    state_adds_up=edit(
        "return np.tanh(from_input + from_past + b)",
        "return h_prev + np.tanh(from_input + from_past + b)",
        "steps_of_any_size",
        "Your old state is added to the new one once more, as a residual connection would. In an Elman network "
        "the past comes in through W_h alone.",
    ),
    past_times_input=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input * from_past + b)",
        "steps_of_any_size",
        "Your two products are multiplied with each other. They are added in the formula.",
    ),
    bias_subtracted=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input + from_past - b)",
        "steps_of_any_size",
        "Your bias is subtracted. It is added in the formula.",
    ),
    tanh_twice=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(np.tanh(from_input + from_past + b))",
        "steps_of_any_size",
        "Your sum goes through the tanh twice. The old state that is passed in has been through the tanh already, and "
        "the new one needs one.",
    ),
    old_state_squashed_again=edit(
        "from_past = h_prev @ W_h.T",
        "from_past = np.tanh(h_prev) @ W_h.T",
        "steps_of_any_size",
        "Your old state goes through a tanh before it is used. It is a finished state already.",
    ),
    step_in_place=edit(
        "return np.tanh(from_input + from_past + b)",
        "h_prev[...] = np.tanh(from_input + from_past + b)\n    return h_prev",
        "a_step_leaves_the_old_state_alone",
        "Your new state is written over the old one. The caller loses it, and in a list of states all entries "
        "become the same array.",
    ),
    columns_by_reshape=edit(
        "    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n    return np.tanh(from_input + from_past + b)",
        "    from_input = W_x @ x_t.reshape(-1, len(x_t))\n    from_past = W_h @ h_prev.reshape(-1, len(h_prev))\n"
        "    return np.tanh(from_input + from_past + b[:, None]).reshape(len(x_t), -1)",
        "a_step_takes_a_batch",
        "Your rows become columns by `reshape`, which keeps the numbers in their order and mixes the sequences of the "
        "batch. To turn rows into columns is to transpose.",
    ),
    columns_by_reshape_turned_back=edit(
        "    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n    return np.tanh(from_input + from_past + b)",
        "    from_input = W_x @ x_t.reshape(-1, len(x_t))\n    from_past = W_h @ h_prev.reshape(-1, len(h_prev))\n"
        "    return np.tanh(from_input + from_past + b[:, None]).T",
        "a_step_takes_a_batch",
        "Your rows become columns by `reshape`, which keeps the numbers in their order and mixes the sequences of the "
        "batch. To turn rows into columns is to transpose.",
    ),
    W_x_reshaped=edit(
        "from_input = x_t @ W_x.T",
        "from_input = x_t @ W_x.reshape(W_x.shape[::-1])",
        "a_step_takes_a_batch",
        "Your W_x is turned by `reshape`. That gives the shape of the transpose, with the numbers in other places.",
    ),
    one_bias_for_all_units=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input + from_past + b[0])",
        "a_step_takes_a_batch",
        "All your units get the bias of the first one. Each has its own entry of b.",
    ),
    hard_tanh_for_tanh=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.clip(from_input + from_past + b, -1.0, 1.0)",
        "the_second_step_of_hello",
        "Your sum is cut off at -1 and 1. The tanh stays between them too, but it bends long before.",
    ),
    tanh_of_half_the_sum=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh((from_input + from_past + b) / 2.0)",
        "the_second_step_of_hello",
        "Your tanh is that of half the sum. Written with exponentials, the tanh of z needs those of 2z, or of z and -z.",
    ),
    first_row_remembers_for_all=edit(
        "from_past = h_prev @ W_h.T",
        "from_past = (h_prev if h_prev.ndim == 1 else h_prev[0]) @ W_h.T",
        "a_step_takes_a_batch",
        "All rows of your batch remember the state of the first one. Each has an old state of its own.",
    ),
    joined_in_another_order=edit(
        "    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n    return np.tanh(from_input + from_past + b)",
        "    both, W = np.concatenate([h_prev, x_t], axis=-1), np.concatenate([W_x, W_h], axis=-1)\n"
        "    return np.tanh(both @ W.T + b)",
        "the_second_step_of_hello",
        "Your input and old state are joined in another order than their matrices. What is read has to meet W_x, and "
        "what is remembered W_h.",
    ),
    columns_not_turned_back=edit(
        "    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n    return np.tanh(from_input + from_past + b)",
        "    return np.tanh(W_x @ x_t.T + W_h @ h_prev.T + (b if x_t.ndim == 1 else b[:, None]))",
        "a_step_takes_a_batch",
        "Your states come back as columns, (hidden, batch). A batch is a stack of rows: (batch, hidden).",
    ),
    softmax_for_tanh=edit(
        "return np.tanh(from_input + from_past + b)",
        "return softmax(from_input + from_past + b)",
        "the_second_step_of_hello",
        "Your units go through a softmax and share a total of one. The formula has tanh, for each unit by itself.",
    ),
    input_squashed_first=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(np.tanh(from_input + b) + from_past)",
        "the_second_step_of_hello",
        "Your input goes through a tanh of its own before it meets the past. There is one tanh, around the whole sum.",
    ),
    mean_of_input_and_past=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh((from_input + from_past) / 2.0 + b)",
        "the_second_step_of_hello",
        "Your input and past are averaged. They are added in the formula.",
    ),
    sum_of_tanhs_with_bias_in_the_past=edit(
        "return np.tanh(from_input + from_past + b)",
        "return np.tanh(from_input) + np.tanh(from_past + b)",
        "steps_of_any_size",
        "Your step adds two tanhs, one for the input and one for the past with the bias. There is one tanh, around the whole "
        "sum.",
    ),
)

FORWARD = mistakes_of(
    "rnn_forward",
    bias_left_out_of_the_loop=edit(
        "h = rnn_step(x[:, t], h, W_x, W_h, b)",
        "h = rnn_step(x[:, t], h, W_x, W_h, 0.0 * b)",
        "reading_takes_a_batch",
        "Your steps lack the bias. Call your `rnn_step`, or write all of it: b belongs to the sum in the tanh.",
    ),
    first_token_is_not_read=edit(
        "h = h0\n    states = []\n    for t in range(x.shape[1]):",
        "h = np.zeros_like(h0)\n    states = [h]\n    for t in range(1, x.shape[1]):",
        "sequences_of_any_size",
        "Your first state stays zero: the loop begins at 1, so x[:, 0] is never read, and h0 neither. Step 0 reads x[:, 0] in the "
        "state h0.",
    ),
    starts_from_zeros=edit(
        "h = h0\n    states = []",
        "h = np.zeros_like(h0)\n    states = []",
        "sequences_of_any_size",
        "Your network starts from a state of zeros. The caller says where it starts: h0 may be what an encoder "
        "read, or where the text before this one ended.",
    ),
    state_never_updated=edit(
        "h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        "states.append(rnn_step(x[:, t], h, W_x, W_h, b))",
        "sequences_of_any_size",
        "All your steps start from h0. Each has to start from the state of the step before, or nothing is remembered.",
    ),
    only_last_state=edit(
        "return np.stack(states, axis=1)",
        "return h",
        "sequences_of_any_size",
        "Your function returns the last state alone. All states are asked for, as predictions are made at every step.",
    ),
    h0_among_the_states=edit(
        "states = []\n    for t in range(x.shape[1]):",
        "states = [h0]\n    for t in range(x.shape[1]):",
        "sequences_of_any_size",
        "Your states begin with h0, so there is one too many. The first state to return is the one after the "
        "first step.",
    ),
    states_before_each_step=edit(
        "h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        "states.append(h)\n        h = rnn_step(x[:, t], h, W_x, W_h, b)",
        "sequences_of_any_size",
        "Your states are those before each step: h0 comes first, and the last one is missing. Then a prediction "
        "does not know the token that was just read.",
    ),
    reads_backwards=edit(
        "for t in range(x.shape[1]):",
        "for t in reversed(range(x.shape[1])):",
        "sequences_of_any_size",
        "Your network reads the sequence from its end.",
    ),
    reads_backwards_and_turns_round=edit(
        "        states.append(h)\n    return np.stack(states, axis=1)",
        "        states.append(h)\n    h, states = h0, []\n    for t in reversed(range(x.shape[1])):\n"
        "        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.insert(0, h)\n    return np.stack(states, axis=1)",
        "the_past_does_not_know_the_future",
        "Your states are those of a network that reads from the end to the beginning, so every state knows what "
        "is still to come.",
    ),
    returns_time_first=edit(
        "return np.stack(states, axis=1)",
        "return np.stack(states)",
        "sequences_of_any_size",
        "Your result has time first and batch second. Arrays are batch-first here: (batch, time, hidden).",
    ),
    states_joined_not_stacked=edit(
        "return np.stack(states, axis=1)",
        "return np.concatenate(states, axis=1)",
        "sequences_of_any_size",
        "Your states are joined to one long row for each sequence. Time needs an axis of its own.",
    ),
    loops_over_the_batch=edit(
        "    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n"
        "    return np.stack(states, axis=1)",
        "    for t in range(x.shape[0]):\n        h = rnn_step(x[t], h, W_x, W_h, b)\n        states.append(h)\n"
        "    return np.stack(states)",
        "batch_and_time_of_equal_size",
        "Your loop goes over the first axis, which is the batch, as if it were time: the state of one sequence "
        "is handed on to another one.",
    ),
    state_leaks_between_sequences=edit(
        "    return np.stack(states, axis=1)",
        "    out, h = np.empty((*x.shape[:2], len(b))), h0[:1]\n    for row in range(len(x)):\n"
        "        for t in range(x.shape[1]):\n            h = rnn_step(x[row : row + 1, t], h, W_x, W_h, b)\n"
        "            out[row, t] = h[0]\n    return out",
        "sequences_do_not_mix",
        "Your second sequence starts where the first one ended. The sequences of a batch have nothing to do with "
        "each other, and each has its own row of h0.",
    ),
    first_h0_for_all=edit(
        "h = h0\n    states = []",
        "h = np.broadcast_to(h0[0], h0.shape)\n    states = []",
        "sequences_do_not_mix",
        "Your sequences all start from the first row of h0. Each has a row of its own.",
    ),
    first_input_at_every_step=edit(
        "h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        "h = rnn_step(x[:, 0], h, W_x, W_h, b)\n        states.append(h)",
        "sequences_of_any_size",
        "All your steps read the first input.",
    ),
    states_share_one_array=edit(
        "h = h0\n    states = []\n    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)",
        "h = h0.copy()\n    states = []\n    for t in range(x.shape[1]):\n        h[:] = rnn_step(x[:, t], h, W_x, W_h, b)",
        "sequences_of_any_size",
        "Your states are all the same array, which every step writes over, so in the end each of them is the last. "
        "Put a copy, or a new array, into your list.",
    ),
    last_step_left_out=edit(
        "    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        "    states = [np.zeros(h0.shape) for _ in range(x.shape[1])]\n    for t in range(x.shape[1] - 1):\n"
        "        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states[t] = h\n",
        "one_step_only",
        "Your loop stops one step early, so the last state stays zero.",
    ),
    first_step_left_out=edit(
        "    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        "    states = [np.zeros(h0.shape) for _ in range(x.shape[1])]\n    for t in range(1, x.shape[1]):\n"
        "        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states[t] = h\n",
        "one_step_only",
        "Your loop starts at the second step, so the first state stays zero and the first input is never read.",
    ),
    states_summed_up=edit(
        "return np.stack(states, axis=1)",
        "return np.cumsum(np.stack(states, axis=1), axis=1)",
        "sequences_of_any_size",
        "Your states are added up along time. A state already holds what is remembered of the earlier ones.",
    ),
    h0_written_over=edit(
        "        states.append(h)\n    return np.stack(states, axis=1)",
        "        states.append(h)\n    h0[...] = h\n    return np.stack(states, axis=1)",
        "reading_leaves_its_inputs_alone",
        "Your last state is written into the caller's h0. The states are right, but code that starts from the same "
        "h0 again does not start from the same state.",
    ),
    states_reshaped=edit(
        "return np.stack(states, axis=1)",
        "return np.array(states).reshape(x.shape[0], x.shape[1], -1)",
        "reading_takes_a_batch",
        "Your states were collected time first and brought to (batch, time, hidden) by `reshape`, which leaves the "
        "numbers in their order, so the sequences are mixed. Two axes that change places need a transpose.",
    ),
    inputs_reshaped=edit(
        "h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        "h = rnn_step(x.reshape(x.shape[1], x.shape[0], -1)[t], h, W_x, W_h, b)\n        states.append(h)",
        "reading_takes_a_batch",
        "Your inputs were brought to time first by `reshape`, which leaves the numbers in their order, so a sequence "
        "reads what belongs to another one. Two axes that change places need a transpose.",
    ),
    reads_the_input_before=edit(
        "h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        "h = rnn_step(x[:, t - 1], h, W_x, W_h, b)\n        states.append(h)",
        "reading_takes_a_batch",
        "Your step t reads x[:, t - 1], so the first one reads the last input of all. What h[:, t] has read last is "
        "x[:, t].",
    ),
    reads_two_states_back=edit(
        "h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        "h = rnn_step(x[:, t], states[-2] if len(states) > 1 else h0, W_x, W_h, b)\n        states.append(h)",
        "reading_takes_a_batch",
        "Your second step starts from h0 again, and each later one from the state two steps before. Each has to start "
        "from the state of the step right before it.",
    ),
    first_state_of_the_batch_goes_on=edit(
        "h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        "h = rnn_step(x[:, t], h if t == 0 else h[:1], W_x, W_h, b)\n        states.append(h)",
        "reading_takes_a_batch",
        "After the first step, all your sequences go on from the state of the first one. Each carries its own.",
    ),
    h0_for_the_first_state=edit(
        "    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        "    states.append(h)\n    for t in range(1, x.shape[1]):\n"
        "        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        "hell_is_read",
        "Your first state is h0, and your loop starts at the second input, so the first one is never read.",
    ),
    sum_before_tanh_handed_on=edit(
        "        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n    return np.stack(states, axis=1)",
        "        h = x[:, t] @ W_x.T + h @ W_h.T + b\n        states.append(np.tanh(h))\n"
        "    return np.stack(states, axis=1)",
        "hell_is_read",
        "Your next step starts from the sum before its tanh. It starts from the state, which is the tanh.",
    ),
    last_state_repeated=edit(
        "    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        "    for t in range(x.shape[1] - 1):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n"
        "    states.append(h)\n",
        "hell_is_read",
        "Your last state is that of the step before once more: the last input is never read.",
    ),
    loops_over_the_batch_and_stacks_steps=edit(
        "    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        "    for row in x:\n        h = rnn_step(row, h, W_x, W_h, b)\n        states.append(h)\n",
        "hell_is_read",
        "Your loop goes over the first axis, which is the batch, as if it were time: a whole sequence is read as if it "
        "were one step of many.",
    ),
    as_many_steps_as_sequences=edit(
        "    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        "    for t in range(len(x)):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        "hell_is_read",
        "Your loop takes as many steps as there are sequences (`len(x)`). Time is the second axis of x.",
    ),
    time_behind_units=edit(
        "return np.stack(states, axis=1)",
        "return np.stack(states, axis=-1)",
        "hell_is_read",
        "Your result has time as its last axis, behind the units. It is (batch, time, hidden).",
    ),
    last_state_returned_too=edit(
        "return np.stack(states, axis=1)",
        "return np.stack(states, axis=1), h",
        "hell_is_read",
        "Your function returns the last state as well, as PyTorch does. Here it is the states alone; the last one is "
        "among them.",
    ),
    all_axes_turned_round=edit(
        "return np.stack(states, axis=1)",
        "return np.stack(states).T",
        "hell_is_read",
        "Your `.T` turns all three axes round, to (hidden, batch, time). Only batch and time change places.",
    ),
    steps_below_each_other=edit(
        "return np.stack(states, axis=1)",
        "return np.concatenate(states, axis=0)",
        "hell_is_read",
        "Your states of all steps stand below each other in one table. Time needs an axis of its own.",
    ),
    states_from_the_last=edit(
        "return np.stack(states, axis=1)",
        "return np.stack(states[::-1], axis=1)",
        "hell_is_read",
        "Your states come out from the last to the first. h[:, 0] is the state after the first step.",
    ),
    first_step_skipped=edit(
        "for t in range(x.shape[1]):",
        "for t in range(1, x.shape[1]):",
        "hell_is_read",
        "Your loop starts at the second step, so the first input is never read and there is a state too few.",
    ),
    last_step_skipped=edit(
        "for t in range(x.shape[1]):",
        "for t in range(x.shape[1] - 1):",
        "hell_is_read",
        "Your loop stops one step early, so the last input is never read and there is a state too few.",
    ),
    states_in_a_list=edit(
        "return np.stack(states, axis=1)",
        "return states",
        "hell_is_read",
        "Your states come back as a list of arrays, one for each step. One array is asked for, (batch, time, hidden).",
    ),
)

OUTPUT = mistakes_of(
    "output_probs",
    output_logits_cut_off=edit(
        "logits = h @ W_y.T + b_y",
        "logits = np.clip(h @ W_y.T + b_y, -30, 30)",
        "large_logits_do_not_overflow",
        "Your logits are cut off at a largest and a smallest number, so all that lie beyond count alike. A softmax that takes off the "
        "largest logit first needs no such bounds.",
    ),
    output_without_bias=edit(
        "logits = h @ W_y.T + b_y",
        "logits = h @ W_y.T",
        "probabilities_of_any_shape",
        "Your logits have no bias. It is what lets the model know that some tokens are frequent, whatever the state.",
    ),
    returns_logits=edit(
        "return softmax(logits, axis=-1)",
        "return logits",
        "probabilities_of_any_shape",
        "Your result holds logits. They become probabilities by the softmax.",
    ),
    softmax_over_time=edit(
        "return softmax(logits, axis=-1)",
        "return softmax(logits, axis=max(logits.ndim - 2, 0))",
        "each_step_has_a_distribution",
        "Your probabilities sum to one over the steps. At each step it is the tokens that compete.",
    ),
    softmax_over_batch=edit(
        "return softmax(logits, axis=-1)",
        "return softmax(logits, axis=0)",
        "each_step_has_a_distribution",
        "Your probabilities sum to one over the first axis, the sequences of the batch. At each step of each "
        "sequence it is the tokens that compete.",
    ),
    sigmoid_for_softmax=edit(
        "return softmax(logits, axis=-1)",
        "return 1.0 / (1.0 + np.exp(-logits))",
        "probabilities_of_any_shape",
        "Your tokens each get a probability of their own, by a sigmoid. Exactly one token comes next, so they have "
        "to share a total of one.",
    ),
    W_y_transposed=edit(
        "logits = h @ W_y.T + b_y",
        "logits = h @ W_y + b_y",
        "as_many_tokens_as_units",
        "Your W_y works transposed. It is laid out (vocab, hidden), so its last axis meets the units.",
    ),
    W_y_from_the_left=edit(
        "logits = h @ W_y.T + b_y",
        "logits = W_y @ h + b_y",
        "probabilities_of_any_shape",
        "Your product has the matrix on the left, as the formula does. That works for a single state; of many, the "
        "units stand in the last axis.",
    ),
    softmax_twice=edit(
        "return softmax(logits, axis=-1)",
        "return softmax(softmax(logits, axis=-1), axis=-1)",
        "probabilities_of_any_shape",
        "Your softmax is taken of a softmax. The first gives probabilities already, and the second makes them "
        "nearly equal.",
    ),
    bias_after_softmax=edit(
        "    logits = h @ W_y.T + b_y\n    return softmax(logits, axis=-1)",
        "    logits = h @ W_y.T\n    return softmax(logits, axis=-1) + b_y",
        "each_step_has_a_distribution",
        "Your bias is added to the probabilities, which then sum to anything. It belongs to the logits.",
    ),
    tanh_before_softmax=edit(
        "logits = h @ W_y.T + b_y",
        "logits = np.tanh(h @ W_y.T + b_y)",
        "probabilities_of_any_shape",
        "Your logits go through a tanh. Between -1 and 1 they can never make a model sure of anything: no token "
        "gets more than e² = 7.4 times as much as another.",
    ),
    state_squashed_before_output=edit(
        "logits = h @ W_y.T + b_y",
        "logits = np.tanh(h) @ W_y.T + b_y",
        "probabilities_of_any_shape",
        "Your state goes through a tanh once more. What is passed in is a finished state.",
    ),
    output_overflows=edit(
        "return softmax(logits, axis=-1)",
        "raised_logits = np.exp(logits)\n    return raised_logits / raised_logits.sum(axis=-1, keepdims=True)",
        "large_logits_do_not_overflow",
        "Your exponential overflows where logits are large. You have written a softmax that does not; use it here.",
    ),
    output_log_probs=edit(
        "return softmax(logits, axis=-1)",
        "return np.log(softmax(logits, axis=-1))",
        "probabilities_of_any_shape",
        "Your result holds logarithms of probabilities. The probabilities themselves are asked for.",
    ),
    output_of_last_state_only=edit(
        "    logits = h @ W_y.T + b_y\n    return softmax(logits, axis=-1)",
        "    logits = (h[..., -1, :] if h.ndim == 3 else h) @ W_y.T + b_y\n    return softmax(logits, axis=-1)",
        "probabilities_of_any_shape",
        "Your function predicts from the last state of each sequence. Every state makes a prediction.",
    ),
    output_one_hot=edit(
        "return softmax(logits, axis=-1)",
        "return np.eye(logits.shape[-1])[logits.argmax(axis=-1)]",
        "probabilities_of_any_shape",
        "Your best token gets everything. A softmax leaves a share to all the others, and that is what the loss "
        "learns from.",
    ),
    softmax_over_axis_one=edit(
        "return softmax(logits, axis=-1)",
        "return softmax(logits, axis=1)",
        "probabilities_take_a_batch",
        "Your softmax runs over axis 1. That axis is the vocabulary only for states (batch, hidden): with time in "
        "front of it, it is time, and a single state has no axis 1. Counted from the end, the vocabulary is always "
        "axis -1.",
    ),
    softmax_over_all_states=edit(
        "return softmax(logits, axis=-1)",
        "raised_logits = np.exp(logits - logits.max())\n    return raised_logits / raised_logits.sum()",
        "probabilities_take_a_batch",
        "Your probabilities of all states together sum to one. Each state makes a prediction of its own, with a total "
        "of one over the vocabulary.",
    ),
    W_y_reshaped=edit(
        "logits = h @ W_y.T + b_y",
        "logits = h @ W_y.reshape(W_y.shape[::-1]) + b_y",
        "probabilities_take_a_batch",
        "Your W_y is turned by `reshape`. That gives the shape of the transpose, with the numbers in other places.",
    ),
    output_subtracts_bias=edit(
        "logits = h @ W_y.T + b_y",
        "logits = h @ W_y.T - b_y",
        "probabilities_take_a_batch",
        "Your bias is subtracted. It is added in the formula.",
    ),
    leading_axes_flattened=edit(
        "logits = h @ W_y.T + b_y",
        "logits = h.reshape(-1, h.shape[-1]) @ W_y.T + b_y",
        "probabilities_take_a_batch",
        "Your leading axes are flattened and not put back. The result has the axes of h, with the vocabulary last.",
    ),
    three_axes_expected=edit(
        "logits = h @ W_y.T + b_y",
        'logits = np.einsum("bth,vh->btv", h, W_y) + b_y',
        "what_follows_h",
        "Your product takes states with batch and time only. States come with any number of axes in front, none "
        "included.",
    ),
    softmax_of_the_state=edit(
        "    logits = h @ W_y.T + b_y\n    return softmax(logits, axis=-1)",
        "    return softmax(h, axis=-1) @ W_y.T + b_y",
        "what_follows_h",
        "Your softmax is taken of the state, before the output weights. It is the logits that become probabilities.",
    ),
    output_ids=edit(
        "return softmax(logits, axis=-1)",
        "return logits.argmax(axis=-1)",
        "what_follows_h",
        "Your result is the id of the likeliest token. A probability for every token is asked for.",
    ),
    single_state_as_a_batch=edit(
        "logits = h @ W_y.T + b_y",
        "logits = np.atleast_2d(h) @ W_y.T + b_y",
        "what_follows_h",
        "Your result of a single state has a batch axis in front. It has the axes of h, and there are none in front of the units.",
    ),
    probabilities_in_columns=edit(
        "    logits = h @ W_y.T + b_y\n    return softmax(logits, axis=-1)",
        "    logits = W_y @ h.T\n    return softmax(logits + (b_y[:, None] if logits.ndim > 1 else b_y), axis=0)",
        "each_step_has_a_distribution",
        "Your probabilities stand in columns: the vocabulary is your first axis. It is the last, as it is for one state.",
    ),
    all_axes_turned_around=edit(
        "logits = h @ W_y.T + b_y",
        "logits = (W_y @ h.T).T + b_y",
        "probabilities_take_a_batch",
        "Your `.T` turns all axes around: states (batch, time, hidden) become (hidden, time, batch), and the product meets time instead "
        "of the units. With the states on the left of the product, none of their axes has to move.",
    ),
)

LOSS = mistakes_of(
    "next_token_loss",
    every_row_costs_every_target=edit(
        "of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n    counted = of_targets[mask]",
        "counted = log_probs[mask][:, targets[mask]]",
        "hello_costs_a_third_of_a_nat",
        "Your index asks every row for the targets of all rows, n x n numbers of which n are meant. Pair them: rows and targets are two "
        "arrays of indices of one length, as in log_probs[np.arange(n), targets].",
    ),
    mean_over_filler=edit(
        "return float(-counted.mean())",
        "return float(-counted.sum() / mask.size)",
        "every_real_target_counts_the_same",
        "Your sum over the real targets is divided by the number of all places, filler included. The more filler "
        "there is in a batch, the better your loss looks.",
    ),
    mask_ignored=edit(
        "counted = of_targets[mask]",
        "counted = of_targets",
        "what_stands_at_filler_is_ignored",
        "Your loss counts the filler, too. The model then learns to predict filler, and the number says little "
        "about text.",
    ),
    mask_inverted=edit(
        "counted = of_targets[mask]",
        "counted = of_targets[~mask]",
        "every_real_target_counts_the_same",
        "Your loss is that of the filler. True in the mask means that a target counts.",
    ),
    loss_summed=edit(
        "return float(-counted.mean())",
        "return float(-counted.sum())",
        "losses_without_filler",
        "Your loss is a sum. It grows with the length of the text and the size of the batch, so two losses cannot "
        "be compared.",
    ),
    mean_of_row_means=edit(
        "return float(-counted.mean())",
        "rows = mask.any(axis=1)\n    sums = (of_targets * mask).sum(axis=1)[rows]\n"
        "    return float(-(sums / mask.sum(axis=1)[rows]).mean())",
        "every_real_target_counts_the_same",
        "Your loss is a mean of the sequences' means. A target of a short sequence then counts for more than one "
        "of a long sequence; every real target should count the same.",
    ),
    sum_over_time_mean_over_batch=edit(
        "return float(-counted.mean())",
        "return float(-counted.sum() / len(mask))",
        "losses_without_filler",
        "Your sum is divided by the number of sequences. What is asked for is the mean per target.",
    ),
    mean_over_batch_sum_over_rows=edit(
        "return float(-counted.mean())",
        "return float(-counted.sum() / mask.shape[1])",
        "losses_without_filler",
        "Your sum is divided by the number of steps. What is asked for is the mean per target, over the whole batch.",
    ),
    divided_by_vocab_too=edit(
        "return float(-counted.mean())",
        "return float(-counted.mean() / logits.shape[-1])",
        "losses_without_filler",
        "Your mean also runs over the vocabulary, most of which is zero in a one-hot product. A target is one "
        "number, not as many as there are tokens.",
    ),
    double_softmax=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = _log_softmax(softmax(logits))",
        "losses_without_filler",
        "Your softmax is taken of a softmax. The logits are passed in as they are, so one is enough; a second one "
        "makes all tokens look nearly equal, and the loss can never come close to zero.",
    ),
    logits_as_probabilities=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = np.log(np.maximum(logits, 1e-12))",
        "losses_without_filler",
        "Your logarithm is taken of the logits. They are scores of any sign, and become probabilities by a softmax "
        "only.",
    ),
    logits_summed_as_log_probs=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = logits",
        "losses_without_filler",
        "Your loss takes logits for log-probabilities. They still have to be normalised: without the other tokens "
        "there is nothing to be more likely than.",
    ),
    log_of_softmax=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = np.log(softmax(logits))",
        "unlikely_targets_cost_what_they_cost",
        "Your softmax comes first and the logarithm after it. Where a target is very unlikely, its probability "
        "becomes zero on the way and the loss infinite. Take the logarithm of the formula on paper first.",
    ),
    **{
        f"log_of_probability_plus_{epsilon.replace('-', '_minus_')}": edit(
            "log_probs = _log_softmax(logits)",
            f"log_probs = np.log(softmax(logits) + {epsilon})",
            "unlikely_targets_cost_what_they_cost",
            "Your tiny constant inside the logarithm keeps the loss finite, but makes it wrong: no target can cost "
            "more than minus the logarithm of the constant, and from there no gradient comes back.",
        )
        for epsilon in ("1e-6", "1e-8", "1e-9", "1e-10", "1e-12", "1e-15", "1e-16", "1e-20")
    },
    log_of_clipped_probability=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = np.log(np.clip(softmax(logits), 1e-7, 1.0))",
        "unlikely_targets_cost_what_they_cost",
        "Your probabilities are clipped before the logarithm. No target can then cost more than minus "
        "the logarithm of the limit, and from there no gradient comes back.",
    ),
    loss_overflows=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))",
        "unlikely_targets_cost_what_they_cost",
        "Your formula is right, but the exponential overflows where logits are large. Take a constant off the "
        "logits first, as in the softmax.",
    ),
    loss_in_bits=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = _log_softmax(logits) / np.log(2)",
        "losses_without_filler",
        "Your loss is in bits. Losses are in nats here, by the natural logarithm.",
    ),
    loss_without_sign=edit(
        "return float(-counted.mean())",
        "return float(counted.mean())",
        "losses_without_filler",
        "Your loss is negative. Logarithms of probabilities are, and a loss is what should become smaller as the "
        "model gets better.",
    ),
    loss_without_logarithm=edit(
        "return float(-counted.mean())",
        "return float(1.0 - np.exp(counted).mean())",
        "losses_without_filler",
        "Your loss is one minus the probability of the target. Without the logarithm, being sure and wrong costs "
        "hardly more than being unsure.",
    ),
    probability_for_log_probability=edit(
        "return float(-counted.mean())",
        "return float(-np.exp(counted).mean())",
        "losses_without_filler",
        "Your loss is the negative probability of the target. Its logarithm is missing.",
    ),
    logarithm_of_mean_probability=edit(
        "return float(-counted.mean())",
        "return float(-np.log(np.exp(counted).mean()))",
        "losses_without_filler",
        "Your probabilities are averaged first, and the logarithm is taken of their mean. The formula has the mean "
        "of the negative logarithms, which is never smaller.",
    ),
    shifted_twice=edit(
        "    of_targets = np.take_along_axis(",
        "    log_probs, targets, mask = log_probs[:, :-1], targets[:, 1:], mask[:, 1:]\n"
        "    of_targets = np.take_along_axis(",
        "losses_without_filler",
        "Your targets are shifted once more. They were shifted before they got here: targets[:, t] is what "
        "logits[:, t] has to predict.",
    ),
    best_token_for_target=edit(
        "counted = of_targets[mask]",
        "counted = log_probs.max(axis=-1)[mask]",
        "losses_without_filler",
        "Your loss is that of the model's favourite token. It has to be that of the right one, whatever the model "
        "thinks.",
    ),
    every_target_at_every_place=edit(
        "of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n    counted",
        "of_targets = log_probs[:, :, targets]\n    counted",
        "losses_without_filler",
        "Your index takes the targets of all places at every place: each of the two `:` is joined with all of `targets`. One "
        "target belongs to one place, which take_along_axis does.",
    ),
    loss_sums_over_time=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = logits - logits.max(axis=-1, keepdims=True)\n"
        "    log_probs = log_probs - np.log(np.exp(log_probs).sum(axis=1, keepdims=True))",
        "losses_without_filler",
        "Your log-softmax sums over axis 1, which is time. The shares of one place sum to one over the vocabulary, the last axis.",
    ),
    loss_softmax_over_time=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = np.swapaxes(_log_softmax(np.swapaxes(logits, 1, 2)), 1, 2)",
        "losses_without_filler",
        "Your probabilities sum to one over the steps. At each step it is the tokens that compete.",
    ),
    mask_on_logits=edit(
        "log_probs = _log_softmax(logits)",
        "log_probs = _log_softmax(logits * mask[..., None])\n    mask = np.ones_like(mask)",
        "every_real_target_counts_the_same",
        "Your mask is multiplied into the logits. Logits of zero are a prediction like any other (all tokens "
        "equally likely), and still cost their ln(vocab) each.",
    ),
    binary_cross_entropy=edit(
        "return float(-counted.mean())",
        "gap = np.log1p(-np.minimum(softmax(logits), 1 - 1e-12))\n"
        "    others = gap.sum(axis=-1) - np.take_along_axis(gap, targets[..., None], axis=-1)[..., 0]\n"
        "    return float(-(counted + others[mask]).mean())",
        "losses_without_filler",
        "Your loss adds ln(1 - p) of all the other tokens, as for labels that exclude nothing. Since probabilities "
        "share a total of one, raising that of the target lowers the others already.",
    ),
    squared_error=edit(
        "return float(-counted.mean())",
        "missed = softmax(logits) - np.eye(logits.shape[-1])[targets]\n"
        "    return float((missed**2).sum(axis=-1)[mask].mean())",
        "losses_without_filler",
        "Your loss is the squared distance between probabilities and the one-hot target. What is asked for is the "
        "negative logarithm of one probability.",
    ),
    loss_of_last_step=edit(
        "counted = of_targets[mask]",
        "counted = of_targets[:, -1:][mask[:, -1:]] if mask[:, -1].any() else of_targets[mask][-1:]",
        "losses_without_filler",
        "Your loss looks at the last step alone. Every step makes a prediction, and every one is something to "
        "learn from.",
    ),
    loss_per_target=edit(
        "return float(-counted.mean())",
        "return -counted",
        "losses_without_filler",
        "Your function returns the loss of every target. One number is asked for, their mean.",
    ),
    perplexity_for_loss=edit(
        "return float(-counted.mean())",
        "return float(np.exp(-counted.mean()))",
        "losses_without_filler",
        "Your result is the perplexity. The loss is the mean itself, without the exponential.",
    ),
    loss_in_place=edit(
        "log_probs = _log_softmax(logits)",
        "logits[...] = _log_softmax(logits)\n    log_probs = logits",
        "a_loss_leaves_its_inputs_alone",
        "Your logarithms are written into the caller's logits. The loss is right, but code that reads the "
        "logits afterwards finds other numbers.",
    ),
    log_of_softmax_times_mask=edit(
        "of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n"
        "    counted = of_targets[mask]\n"
        "    return float(-counted.mean())",
        "log_probs = np.log(softmax(logits))\n"
        "    of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n"
        "    return float(-(of_targets * mask).sum() / mask.sum())",
        "what_stands_at_filler_is_ignored",
        "Your loss multiplies the logarithm of a softmax by the mask. Where a probability is zero to a "
        "computer, the logarithm is minus infinity, and minus infinity times 0 is NaN: filler spoils "
        "everything.",
    ),
    mask_on_logits_of_real_targets=edit(
        "    log_probs = _log_softmax(logits)\n"
        "    of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n"
        "    counted = of_targets[mask]\n"
        "    return float(-counted.mean())",
        "    log_probs = _log_softmax(logits * mask[..., None])\n"
        "    of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n"
        "    return float(-of_targets.sum() / mask.sum())",
        "filler_does_not_count",
        "Your mask is multiplied into the logits. Logits of zero are a prediction too (all tokens equally likely), so "
        "filler still adds its ln(vocab) to the sum. It is the losses that the mask has to choose from.",
    ),
    mean_of_step_means=edit(
        "return float(-counted.mean())",
        "steps = mask.any(axis=0)\n    sums = (of_targets * mask).sum(axis=0)[steps]\n"
        "    return float(-(sums / mask.sum(axis=0)[steps]).mean())",
        "filler_does_not_count",
        "Your loss is a mean of the steps' means. A target of a step at which few sequences are left then counts for "
        "more than others; every real target should count the same.",
    ),
    id_zero_taken_for_filler=edit(
        "counted = of_targets[mask]",
        "counted = of_targets[mask & (targets != 0)]",
        "filler_does_not_count",
        "Your loss leaves out targets with the id 0. Only the mask says what is filler; 0 is a token like any other.",
    ),
    sum_over_real_steps_of_one_row=edit(
        "return float(-counted.mean())",
        "return float(-counted.sum() / mask.sum(axis=1).max())",
        "filler_does_not_count",
        "Your sum over all sequences is divided by the targets of the longest one. It is the targets of all of them "
        "that count.",
    ),
    largest_not_added_back=edit(
        "log_probs = _log_softmax(logits)",
        "taken_off = logits.max(axis=-1, keepdims=True)\n"
        "    log_probs = logits - np.log(np.exp(logits - taken_off).sum(axis=-1, keepdims=True))",
        "hello_costs_a_third_of_a_nat",
        "Your sum of exponentials is made of lowered logits, and then the logit of the target is taken as it was. The "
        "number that came off has to come off both, or has to be added back.",
    ),
    logarithm_of_sum_in_bits=edit(
        "log_probs = _log_softmax(logits)",
        "lowered = logits - logits.max(axis=-1, keepdims=True)\n"
        "    log_probs = lowered - np.log2(np.exp(lowered).sum(axis=-1, keepdims=True))",
        "hello_costs_a_third_of_a_nat",
        "Your logarithm of the sum has the base 2, while your exponentials have the base e. The two have to belong "
        "together.",
    ),
    loss_global_max=edit(
        "log_probs = _log_softmax(logits)",
        "lowered = logits - logits.max()\n"
        "    log_probs = lowered - np.log(np.exp(lowered).sum(axis=-1, keepdims=True))",
        "sure_and_wrong",
        "Your constant is the largest logit of the whole batch. At a position far below it all exponentials become "
        "zero, and the logarithm of their sum is minus infinity.",
    ),
    **{
        f"binary_cross_entropy_clipped_{limit.replace('-', '_minus_')}": edit(
            "return float(-counted.mean())",
            f"kept = np.clip(softmax(logits), {limit}, 1 - {limit})\n"
            "    right = np.eye(logits.shape[-1])[targets]\n"
            "    both = right * np.log(kept) + (1 - right) * np.log(1 - kept)\n"
            "    return float(-both.sum(axis=-1)[mask].mean())",
            "hello_costs_a_third_of_a_nat",
            "Your loss adds ln(1 - p) of all the other tokens, as for labels that exclude nothing. Since probabilities "
            "share a total of one, raising that of the target lowers the others already.",
        )
        for limit in ("1e-7", "1e-8", "1e-10", "1e-12", "1e-15")
    },
    loss_of_last_real_step=edit(
        "counted = of_targets[mask]",
        "counted = of_targets[np.arange(len(mask)), mask.sum(axis=1) - 1]",
        "hello_costs_a_third_of_a_nat",
        "Your loss looks at the last real step of each sequence alone. Every real step makes a prediction, and every "
        "one is something to learn from.",
    ),
    mask_taken_for_lengths=edit(
        "counted = of_targets[mask]",
        "counted = of_targets[np.arange(mask.shape[1]) < mask.sum(axis=1, keepdims=True)]",
        "filler_does_not_count",
        "Your code only counts how many targets of a row are real, and takes that many from its beginning. Filler may "
        "stand elsewhere; the mask says where.",
    ),
    stops_at_the_first_filler=edit(
        "counted = of_targets[mask]",
        "counted = of_targets[np.logical_and.accumulate(mask, axis=1)]",
        "filler_does_not_count",
        "Your loop leaves a row at its first filler. Real targets may stand behind it; the mask says where.",
    ),
    filler_logits_minus_infinity=edit(
        "    log_probs = _log_softmax(logits)\n"
        "    of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n"
        "    counted = of_targets[mask]\n"
        "    return float(-counted.mean())",
        "    log_probs = _log_softmax(np.where(mask[..., None], logits, -np.inf))\n"
        "    of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n"
        "    return float(-(of_targets * mask).sum() / mask.sum())",
        "filler_does_not_count",
        "Your logits at filler are all set to minus infinity. A softmax of nothing but minus infinity is no number, "
        "and no number times 0 is no number either. It is the losses that the mask has to choose from.",
    ),
    largest_over_time_taken_off=edit(
        "log_probs = _log_softmax(logits)",
        "lowered = logits - logits.max(axis=1, keepdims=True)\n"
        "    log_probs = lowered - np.log(np.exp(lowered).sum(axis=-1, keepdims=True))",
        "hello_costs_a_third_of_a_nat",
        "Your constant is the largest over the steps, so each token has another one. It has to be the same for all tokens "
        "of a step.",
    ),
    filler_costs_as_token_zero=edit(
        "    counted = of_targets[mask]\n",
        "    counted = np.take_along_axis(log_probs, (targets * mask)[..., None], axis=-1)[..., 0]\n",
        "filler_does_not_count",
        "Your mask sets the targets at filler to 0, which is a token like any other, and its loss still counts. It is the "
        "losses that the mask has to choose from.",
    ),
    sum_of_row_means=edit(
        "return float(-counted.mean())",
        "rows = mask.any(axis=1)\n    sums = (of_targets * mask).sum(axis=1)[rows]\n"
        "    return float(-(sums / mask.sum(axis=1)[rows]).sum())",
        "filler_does_not_count",
        "Your loss adds up the means of the sequences. It is one mean over all real targets.",
    ),
    error_rate_for_loss=edit(
        "return float(-counted.mean())",
        "return float((logits.argmax(axis=-1) != targets)[mask].mean())",
        "hello_costs_a_third_of_a_nat",
        "Your result is the share of targets that are not the likeliest token. The loss asks how likely they are.",
    ),
    mean_of_row_means_with_empty_ones=edit(
        "return float(-counted.mean())",
        "sums = (of_targets * mask).sum(axis=1)\n    return float(-(sums / np.maximum(mask.sum(axis=1), 1)).mean())",
        "every_real_target_counts_the_same",
        "Your loss is a mean of the sequences' means, and a sequence of nothing but filler counts as 0. It is one mean over all "
        "real targets.",
    ),
    mean_of_step_means_with_empty_ones=edit(
        "return float(-counted.mean())",
        "sums = (of_targets * mask).sum(axis=0)\n    return float(-(sums / np.maximum(mask.sum(axis=0), 1)).mean())",
        "filler_does_not_count",
        "Your loss is a mean of the steps' means, and a step of nothing but filler counts as 0. It is one mean over all real "
        "targets.",
    ),
    real_rows_times_time=edit(
        "return float(-counted.mean())",
        "return float(-counted.sum() / (mask.any(axis=1).sum() * mask.shape[1]))",
        "filler_does_not_count",
        "Your sum over the real targets is divided by all places of the sequences that have any. Divide by the real targets alone.",
    ),
    entropy_for_loss=edit(
        "counted = of_targets[mask]",
        "counted = (np.exp(log_probs) * log_probs).sum(axis=-1)[mask]",
        "hello_costs_a_third_of_a_nat",
        "Your loss is the entropy of the model's own probabilities. Which token is the right one plays no part in it, and it is the "
        "only one that counts.",
    ),
    loss_per_sequence=edit(
        "return float(-counted.mean())",
        "return -(of_targets * mask).sum(axis=1) / mask.sum(axis=1)",
        "hello_costs_a_third_of_a_nat",
        "Your function returns a loss for every sequence. One number is asked for, the mean over all real targets.",
    ),
    targets_without_their_axis=edit(
        "of_targets = np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]\n    counted",
        "of_targets = np.take_along_axis(log_probs, targets, axis=-1)\n    counted",
        "hello_costs_a_third_of_a_nat",
        "Your targets have two axes and your log-probabilities three. To pick one entry along the vocabulary, the targets need an "
        "axis of length one behind the others.",
    ),
    mask_with_an_axis_too_many=edit(
        "counted = of_targets[mask]",
        "counted = of_targets[mask[..., None]]",
        "hello_costs_a_third_of_a_nat",
        "Your mask has three axes, and the losses that it chooses from have two, (batch, time). It fits as it is.",
    ),
    largest_logit_taken_off_in_place=edit(
        "log_probs = _log_softmax(logits)",
        "logits -= logits.max(axis=-1, keepdims=True)\n    log_probs = _log_softmax(logits)",
        "losses_leave_logits_alone",
        "Your subtraction is written into the caller's logits (`-=` does that). The loss is right, but the logits are others "
        "afterwards.",
    ),
    filler_targets_written_over=edit(
        "log_probs = _log_softmax(logits)",
        "targets[~mask] = 0\n    log_probs = _log_softmax(logits)",
        "losses_leave_logits_alone",
        "Your function writes into the caller's targets where there is filler. The loss is right, but the targets are others "
        "afterwards.",
    ),
    mean_of_row_means_by_zero=edit(
        "return float(-counted.mean())",
        "sums = (of_targets * mask).sum(axis=1)\n    return float(-(sums / mask.sum(axis=1)).mean())",
        "every_real_target_counts_the_same",
        "Your loss is a mean of the sequences' means, and for a sequence of nothing but filler that is zero divided by zero. It is "
        "one mean over all real targets.",
    ),
    mean_of_step_means_by_zero=edit(
        "return float(-counted.mean())",
        "sums = (of_targets * mask).sum(axis=0)\n    return float(-(sums / mask.sum(axis=0)).mean())",
        "filler_does_not_count",
        "Your loss is a mean of the steps' means, and for a step of nothing but filler that is zero divided by zero. It is one mean "
        "over all real targets.",
    ),
)

LOG_PROB = mistakes_of(
    "sequence_log_prob",
    mean_for_sum=edit(
        "return chosen.sum(axis=-1)",
        "return chosen.mean(axis=-1)",
        "log_probs_of_any_shape",
        "Your logarithms are averaged. The probability of a sequence is a product of all its factors, and its "
        "logarithm a sum.",
    ),
    product_underflows=edit(
        "return chosen.sum(axis=-1)",
        "return np.log(np.exp(chosen).prod(axis=-1))",
        "long_texts_do_not_underflow",
        "Your probabilities are multiplied before the logarithm is taken. For a long text their product is zero to "
        "a computer; add logarithms instead.",
    ),
    product_of_logarithms=edit(
        "return chosen.sum(axis=-1)",
        "return chosen.prod(axis=-1)",
        "log_probs_of_any_shape",
        "Your logarithms are multiplied. A product of probabilities becomes a sum of logarithms.",
    ),
    probability_of_sequence=edit(
        "return chosen.sum(axis=-1)",
        "return np.exp(chosen.sum(axis=-1))",
        "log_probs_of_any_shape",
        "Your result is the probability itself. Its logarithm is asked for, which is still a number where the "
        "probability is too small to be one.",
    ),
    negative_log_prob=edit(
        "return chosen.sum(axis=-1)",
        "return -chosen.sum(axis=-1)",
        "log_probs_of_any_shape",
        "Your result is positive: it is the negative logarithm, which is the cost of the sequence. The logarithm "
        "of a probability is never above zero.",
    ),
    logits_not_normalised=edit(
        "scores = _log_softmax(logits)",
        "scores = logits",
        "log_probs_of_any_shape",
        "Your sum is one of logits. They are no logarithms of probabilities until the softmax has normalised them.",
    ),
    one_number_for_the_batch=edit(
        "return chosen.sum(axis=-1)",
        "return chosen.sum()",
        "log_probs_of_any_shape",
        "Your sum runs over the whole batch. Each sequence has a probability of its own.",
    ),
    sum_over_sequences=edit(
        "return chosen.sum(axis=-1)",
        "return chosen.sum(axis=0)",
        "log_probs_of_any_shape",
        "Your sum runs over the first axis, which is the batch where there is one. Time is the last axis of ids.",
    ),
    likeliest_path=edit(
        "return chosen.sum(axis=-1)",
        "return scores.max(axis=-1).sum(axis=-1)",
        "log_probs_of_any_shape",
        "Your result is that of the likeliest tokens. The sequence that is passed in is the one to judge.",
    ),
    log_prob_underflows=edit(
        "scores = _log_softmax(logits)",
        "scores = np.log(softmax(logits))",
        "near_impossible_tokens",
        "Your softmax comes first and the logarithm after it. A token hundreds of nats below the best one gets a "
        "probability of zero on the way, and the sequence is called impossible.",
    ),
    log_prob_overflows=edit(
        "scores = _log_softmax(logits)",
        "scores = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))",
        "near_impossible_tokens",
        "Your formula is right, but the exponential overflows where logits are large. Take a constant off the "
        "logits first, as in the softmax.",
    ),
    log_prob_with_epsilon=edit(
        "scores = _log_softmax(logits)",
        "scores = np.log(softmax(logits) + 1e-12)",
        "near_impossible_tokens",
        "Your tiny constant inside the logarithm makes unlikely tokens likelier than they are. Take the logarithm "
        "of the softmax formula on paper first.",
    ),
    ids_shifted_in_log_prob=edit(
        "return chosen.sum(axis=-1)",
        "moved = np.take_along_axis(scores[..., :-1, :], ids[..., 1:, None], axis=-1)[..., 0]\n"
        "    return moved.sum(axis=-1)",
        "log_probs_of_any_shape",
        "Your ids are shifted against the logits. They fit as they are: logits[..., t, :] predicts ids[..., t].",
    ),
    first_token_left_out=edit(
        "return chosen.sum(axis=-1)",
        "return chosen[..., 1:].sum(axis=-1)",
        "log_probs_of_any_shape",
        "Your sum leaves out the first token. It has a prediction as well, and a probability.",
    ),
    log_prob_in_bits=edit(
        "scores = _log_softmax(logits)",
        "scores = _log_softmax(logits) / np.log(2)",
        "log_probs_of_any_shape",
        "Your logarithm is to the base 2. It is the natural one here.",
    ),
    log_prob_in_place=edit(
        "scores = _log_softmax(logits)",
        "logits[...] = _log_softmax(logits)\n    scores = logits",
        "log_probs_leave_their_inputs_alone",
        "Your logarithms are written into the caller's logits.",
    ),
    one_batch_axis_expected=edit(
        "scores = _log_softmax(logits)\n    chosen",
        "batch, time = ids.shape\n    scores = _log_softmax(logits)\n    chosen",
        "probability_of_ello",
        "Your function expects exactly one batch axis (`B, T = ids.shape`). `...` stands for any number of axes, "
        "none included: index the last two axes from the end and leave the others as they are.",
    ),
    last_token_left_out=edit(
        "return chosen.sum(axis=-1)",
        "return chosen[..., :-1].sum(axis=-1)",
        "probability_of_ello",
        "Your sum ends before the last token. logits[..., -1, :] predicts ids[..., -1], so it counts, too.",
    ),
    last_token_only=edit(
        "return chosen.sum(axis=-1)",
        "return chosen[..., -1]",
        "probability_of_ello",
        "Your number is that of the last token alone. A sequence is as likely as all of its tokens together.",
    ),
    **{
        f"log_prob_with_epsilon_{epsilon.replace('-', '_minus_')}": edit(
            "scores = _log_softmax(logits)",
            f"scores = np.log(softmax(logits) + {epsilon})",
            "an_unlikely_token",
            "Your tiny constant inside the logarithm, or your limit, makes unlikely tokens likelier than they are. Take "
            "the logarithm of the softmax formula on paper first.",
        )
        for epsilon in ("1e-7", "1e-8", "1e-9", "1e-10", "1e-15")
    },
    largest_not_added_back_in_log_prob=edit(
        "scores = _log_softmax(logits)",
        "taken_off = logits.max(axis=-1, keepdims=True)\n"
        "    scores = logits - np.log(np.exp(logits - taken_off).sum(axis=-1, keepdims=True))",
        "probability_of_ello",
        "Your sum of exponentials is made of lowered logits, and then the logit of the token is taken as it was. The "
        "number that came off has to come off both, or has to be added back.",
    ),
    batch_of_one_squeezed=edit(
        "return chosen.sum(axis=-1)",
        "return np.squeeze(chosen.sum(axis=-1))",
        "log_probs_take_a_batch",
        "Your result loses an axis of length one (`squeeze`). A batch of one sequence has an array of one number.",
    ),
    single_sequence_as_a_batch=edit(
        "return chosen.sum(axis=-1)",
        "return np.atleast_1d(chosen.sum(axis=-1))",
        "probability_of_ello",
        "Your result of a single sequence is an array of one number. It is a number without any axis, as ids has no "
        "axis in front of time.",
    ),
    leading_axes_flattened_in_log_prob=edit(
        "return chosen.sum(axis=-1)",
        "return chosen.sum(axis=-1).reshape(-1)",
        "probability_of_ello",
        "Your result is one row of numbers, whatever axes stand in front of time. It has the shape of ids without its "
        "last axis; for a single sequence that is a single number.",
    ),
    running_sums=edit(
        "return chosen.sum(axis=-1)",
        "return chosen.cumsum(axis=-1)",
        "probability_of_ello",
        "Your result holds the running sums, one for each token. The last of them is that of the whole sequence.",
    ),
    log_prob_decimal=edit(
        "scores = _log_softmax(logits)",
        "scores = _log_softmax(logits) / np.log(10)",
        "probability_of_ello",
        "Your logarithm is to the base 10. It is the natural one here.",
    ),
    softmax_over_the_whole_sequence=edit(
        "scores = _log_softmax(logits)",
        "scores = _log_softmax(logits.reshape(*logits.shape[:-2], -1)).reshape(logits.shape)",
        "probability_of_ello",
        "Your probabilities of all steps of a sequence together sum to one. Each step has a total of its own.",
    ),
    logarithm_of_sum_of_probabilities=edit(
        "return chosen.sum(axis=-1)",
        "return np.log(np.exp(chosen).sum(axis=-1))",
        "probability_of_ello",
        "Your probabilities are added up before the logarithm. The probability of a sequence is a product; its "
        "logarithm is a sum of logarithms.",
    ),
    log_prob_global_max=edit(
        "scores = _log_softmax(logits)",
        "lowered = logits - logits.max()\n    scores = lowered - np.log(np.exp(lowered).sum(axis=-1, keepdims=True))",
        "an_unlikely_token",
        "Your constant is the largest logit of all. At a step far below it all exponentials become zero, and the logarithm "
        "of their sum is minus infinity.",
    ),
    log_prob_softmax_over_time=edit(
        "scores = _log_softmax(logits)",
        "scores = np.swapaxes(_log_softmax(np.swapaxes(logits, -1, -2)), -1, -2)",
        "probability_of_ello",
        "Your probabilities sum to one over the steps. At each step it is the tokens that compete.",
    ),
    log_prob_sum_in_bits=edit(
        "scores = _log_softmax(logits)",
        "lowered = logits - logits.max(axis=-1, keepdims=True)\n"
        "    scores = lowered - np.log2(np.exp(lowered).sum(axis=-1, keepdims=True))",
        "probability_of_ello",
        "Your logarithm of the sum has the base 2, while your exponentials have the base e. The two have to belong "
        "together.",
    ),
    sum_over_axis_one=edit(
        "return chosen.sum(axis=-1)",
        "return chosen.sum(axis=1)",
        "probability_of_ello",
        "Your sum runs over axis 1. That is time only with one axis in front; a single sequence has no axis 1. Counted from the "
        "end, time is always the last axis of ids.",
    ),
    log_prob_keeps_the_axis=edit(
        "return chosen.sum(axis=-1)",
        "return chosen.sum(axis=-1, keepdims=True)",
        "probability_of_ello",
        "Your sum keeps the axis of time, with length one (`keepdims`). One number for each sequence is asked for.",
    ),
)

PERPLEXITY = mistakes_of(
    "perplexity",
    two_to_the_nats=edit(
        "return np.exp(per_token)",
        "return 2.0**per_token",
        "equally_likely_tokens",
        "Your base is 2 while the loss is in nats. Base and logarithm have to belong together: with nats it is e.",
    ),
    perplexity_of_total=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = np.sum(nll)",
        "equally_likely_tokens",
        "Your exponential is taken of the total, not of the mean per token, so it explodes with the length of the "
        "text.",
    ),
    mean_of_perplexities=edit(
        "return np.exp(per_token)",
        "return float(np.mean(np.exp(np.asarray(nll) / n)))",
        "perplexity_of_a_collection",
        "Your result is the mean of the texts' perplexities, in which one odd short text outweighs all others. "
        "Add up first: all nats, all tokens, then one exponential.",
    ),
    perplexity_of_mean_of_means=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = np.mean(np.asarray(nll) / n)",
        "perplexity_of_a_collection",
        "Your result averages the texts' means, so a token of a short text counts for more than one of a long text.",
    ),
    one_perplexity_per_text=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = np.asarray(nll) / n",
        "perplexity_of_a_collection",
        "Your result has one perplexity for each text. One number for all of them together is asked for.",
    ),
    inverse_perplexity=edit(
        "return np.exp(per_token)",
        "return np.exp(-per_token)",
        "equally_likely_tokens",
        "Your result is below one: it is the mean probability of a token (the geometric one). The perplexity is "
        "its inverse.",
    ),
    perplexity_is_the_loss=edit(
        "return np.exp(per_token)",
        "return per_token",
        "equally_likely_tokens",
        "Your result is the mean loss. Its exponential turns nats into a number of tokens.",
    ),
    perplexity_root_of_loss=edit(
        "return np.exp(per_token)",
        "return float(np.sum(nll) ** (1.0 / np.sum(n)))",
        "equally_likely_tokens",
        "Your root is taken of the loss. The n-th root in the textbooks is one of the inverse probability of "
        "the text; where there is its logarithm, a root becomes a division by n.",
    ),
    perplexity_of_n_plus_one=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = np.sum(nll) / (np.sum(n) - 1)",
        "perplexity_of_a_collection",
        "Your divisor is one less than the number of tokens. n counts the tokens that were predicted already.",
    ),
    perplexity_in_place=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "nll /= np.sum(n)\n    per_token = np.sum(nll)",
        "perplexity_leaves_its_inputs_alone",
        "Your division is written into the caller's array.",
    ),
    perplexity_by_number_of_texts=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = np.mean(nll) / np.sum(n)",
        "perplexity_of_two_texts",
        "Your nats are averaged over the texts and then divided by all the tokens: divided once too often. Add up all "
        "nats, and divide by all tokens.",
    ),
    perplexity_of_bits=edit(
        "return np.exp(per_token)",
        "return np.exp(per_token / np.log(2))",
        "perplexity_of_hello",
        "Your exponent is in bits, your base is e. Nats go with e, and bits with 2.",
    ),
    total_perplexity_divided=edit(
        "return np.exp(per_token)",
        "return float(np.exp(np.sum(nll)) / np.sum(n))",
        "perplexity_of_hello",
        "Your exponential is taken of the total, and then divided by the number of tokens. Divide first: the exponent "
        "is the mean per token.",
    ),
    perplexity_overflows=edit(
        "return np.exp(per_token)",
        "return float(np.exp(np.sum(nll)) ** (1.0 / np.sum(n)))",
        "perplexity_of_hello",
        "Your root is taken of the exponential of the total, which no computer can hold for a page of text. The root "
        "becomes a division in the exponent: divide first.",
    ),
    perplexity_by_mean_length=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = np.sum(nll) / np.mean(n)",
        "perplexity_of_two_texts",
        "Your nats of all texts are divided by the mean length of a text. It is the tokens of all of them that count.",
    ),
    perplexity_by_count_of_texts=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = np.sum(nll) / np.size(n)",
        "perplexity_of_hello",
        "Your nats are divided by the number of texts. It is the tokens of all of them that count.",
    ),
    perplexity_by_whole_division=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = np.sum(nll) // np.sum(n)",
        "perplexity_of_hello",
        "Your division (`//`) drops everything behind the point. A mean loss is seldom a whole number.",
    ),
    weighted_mean_of_perplexities=edit(
        "return np.exp(per_token)",
        "return float(np.average(np.exp(np.atleast_1d(nll) / n), weights=np.atleast_1d(n)))",
        "perplexity_of_two_texts",
        "Your result is a mean of the texts' perplexities, weighted by their lengths. It is the losses that are averaged "
        "so; the exponential comes after that.",
    ),
    product_of_perplexities=edit(
        "return np.exp(per_token)",
        "return float(np.prod(np.exp(np.asarray(nll) / n)))",
        "perplexity_of_two_texts",
        "Your result is the product of the texts' perplexities. Add up all nats and all tokens, and take one exponential "
        "of one mean.",
    ),
    perplexity_expects_many_texts=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = sum(nll) / sum(n)",
        "perplexity_of_hello",
        "Your code goes through nll and n as if they were always arrays (`sum`). Of a single text each is one number.",
    ),
    perplexity_asks_a_number_for_its_sum=edit(
        "per_token = np.sum(nll) / np.sum(n)",
        "per_token = nll.sum() / n.sum()",
        "perplexity_of_hello",
        "Your code calls a method of arrays, and of a single text nll and n are plain numbers, which have no `sum`. np.sum takes "
        "both.",
    ),
)

BITS = mistakes_of(
    "bits_per_char",
    nats_for_bits=edit(
        "return nats / np.log(2)",
        "return nats",
        "coins_cost_a_bit",
        "Your result is in nats. A choice between two equally likely characters is one bit, but only .693 nats.",
    ),
    bits_times_log_two=edit(
        "return nats / np.log(2)",
        "return nats * np.log(2)",
        "coins_cost_a_bit",
        "Your conversion goes the wrong way. A bit is the smaller unit, so the same surprise is more bits than nats.",
    ),
    bits_in_total=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nats = np.sum(nll)",
        "coins_cost_a_bit",
        "Your result is the cost of the whole text. Per character is asked for.",
    ),
    bits_by_decimal_logarithm=edit(
        "return nats / np.log(2)",
        "return nats / np.log10(2)",
        "coins_cost_a_bit",
        "Your conversion uses the decimal logarithm of 2. The loss is in nats, so it is the natural one.",
    ),
    logarithm_of_nats=edit(
        "return nats / np.log(2)",
        "return np.log2(nats)",
        "coins_cost_a_bit",
        "Your logarithm is taken of the loss. The loss is a logarithm already, and only changes its base.",
    ),
    bits_from_perplexity=edit(
        "return nats / np.log(2)",
        "return 2.0**nats",
        "coins_cost_a_bit",
        "Your result is a power of two, as if a perplexity were asked for.",
    ),
    bits_mean_of_means=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nats = np.mean(np.asarray(nll) / n)",
        "bits_of_a_collection",
        "Your result averages the texts' means, so a character of a short text counts for more than one of a long "
        "text.",
    ),
    one_number_of_bits_per_text=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nats = np.asarray(nll) / n",
        "bits_of_a_collection",
        "Your result has one number for each text. One for all of them together is asked for.",
    ),
    bits_in_place=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nll /= np.sum(n)\n    nats = np.sum(nll)",
        "bits_leave_their_inputs_alone",
        "Your division is written into the caller's array.",
    ),
    bits_by_number_of_texts=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nats = np.mean(nll) / np.sum(n)",
        "bits_of_two_texts",
        "Your nats are averaged over the texts and then divided by all the characters: divided once too often. Add up "
        "all nats, and divide by all characters.",
    ),
    bits_by_logarithm_of_ten=edit(
        "return nats / np.log(2)",
        "return nats / np.log(10)",
        "bits_of_hello",
        "Your divisor is the logarithm of 10. A bit is a choice between two: ln 2 nats.",
    ),
    bits_by_a_rounded_logarithm=edit(
        "return nats / np.log(2)",
        "return nats / 0.69",
        "bits_of_hello",
        "Your ln 2 has two digits. Let numpy give you all of them.",
    ),
    bits_of_mean_perplexity=edit(
        "return nats / np.log(2)",
        "return float(np.log2(np.mean(np.exp(np.asarray(nll) / n))))",
        "bits_of_two_texts",
        "Your result is made of the mean of the texts' perplexities, in which one odd short text outweighs all others. "
        "Add up first: all nats, all characters.",
    ),
    bits_by_mean_length=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nats = np.sum(nll) / np.mean(n)",
        "bits_of_two_texts",
        "Your nats of all texts are divided by the mean length of a text. It is the characters of all of them that count.",
    ),
    bits_by_count_of_texts=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nats = np.sum(nll) / np.size(n)",
        "bits_of_two_texts",
        "Your nats are divided by the number of texts. It is the characters of all of them that count.",
    ),
    bits_in_whole_bytes=edit(
        "return nats / np.log(2)",
        "return nats / np.log(2) / 8",
        "bits_of_hello",
        "Your bits are divided by eight, which makes bytes of them. Bits per character are asked for.",
    ),
    whole_bits=edit(
        "return nats / np.log(2)",
        "return float(np.ceil(nats / np.log(2)))",
        "bits_of_hello",
        "Your result is rounded up to whole bits. The cost is an average, and may lie anywhere between whole numbers.",
    ),
    bits_expect_many_texts=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nats = sum(nll) / sum(n)",
        "bits_of_hello",
        "Your code goes through nll and n as if they were always arrays (`sum`). Of a single text each is one number.",
    ),
    bits_sum_of_means=edit(
        "nats = np.sum(nll) / np.sum(n)",
        "nats = np.sum(np.asarray(nll) / n)",
        "bits_of_two_texts",
        "Your result adds up the texts' means. Add up first, then divide once: all nats by all characters.",
    ),
    bits_below_zero=edit(
        "return nats / np.log(2)",
        "return -nats / np.log(2)",
        "bits_of_hello",
        "Your bits are negative. nll is a negative log-likelihood, so its sign is turned already.",
    ),
    characters_per_bit=edit(
        "return nats / np.log(2)",
        "return np.log(2) / nats",
        "bits_of_hello",
        "Your fraction stands upside down: it says how many characters a bit pays for.",
    ),
    bits_overflow=edit(
        "return nats / np.log(2)",
        "return float(np.log2(np.exp(np.sum(nll))) / np.sum(n))",
        "bits_of_hello",
        "Your exponential of the total is more than a computer can hold for a page of text. A logarithm changes its base by "
        "a factor, without being undone.",
    ),
)

CLASSIFY = mistakes_of(
    "classify_sequence",
    last_column_for_all=edit(
        "last = states[rows, lengths - 1]",
        "last = states[:, -1]",
        "each_row_ends_where_it_ends",
        "All your rows are judged at the last step of the array. In a shorter sequence the network has been "
        "reading filler by then, and its state has changed.",
    ),
    class_bias_forgotten=edit(
        'return output_probs(last, params["W_y"], params["b_y"])',
        'return output_probs(last, params["W_y"], 0.0 * params["b_y"])',
        "each_row_ends_where_it_ends",
        "Your classes get no bias: b_y is not used.",
    ),
    one_step_too_far=edit(
        "last = states[rows, lengths - 1]",
        "last = states[rows, np.minimum(lengths, states.shape[1] - 1)]",
        "filler_is_ignored",
        "Your rows are judged one step too late, at the first filler. Steps are counted from 0, so the last of "
        "three is number 2.",
    ),
    length_as_index=edit(
        "last = states[rows, lengths - 1]",
        "last = states[rows, lengths]",
        "all_rows_are_full",
        "Your index of the last step is the length. Steps are counted from 0, so a full row has no such step.",
    ),
    one_step_too_early=edit(
        "last = states[rows, lengths - 1]",
        "last = states[rows, np.maximum(lengths - 2, 0)]",
        "each_row_ends_where_it_ends",
        "Your rows are judged one step too early, before their last step is read.",
    ),
    longest_length_for_all=edit(
        "last = states[rows, lengths - 1]",
        "last = states[:, lengths.max() - 1]",
        "each_row_ends_where_it_ends",
        "Your rows are all judged where the longest of them ends. Each has a length of its own.",
    ),
    shortest_length_for_all=edit(
        "last = states[rows, lengths - 1]",
        "last = states[:, lengths.min() - 1]",
        "each_row_ends_where_it_ends",
        "Your rows are all judged where the shortest of them ends, so longer ones are not read to their ends.",
    ),
    mean_over_steps=edit(
        "last = states[rows, lengths - 1]",
        "last = states.mean(axis=1)",
        "each_row_ends_where_it_ends",
        "Your prediction is made from the mean of all states, filler included. The last real one is asked for.",
    ),
    mean_over_real_steps=edit(
        "last = states[rows, lengths - 1]",
        "real = (np.arange(states.shape[1]) < lengths[:, None])[..., None]\n"
        "    last = (states * real).sum(axis=1) / lengths[:, None]",
        "each_row_ends_where_it_ends",
        "Your prediction is made from the mean of the real states. That is a good idea too, called mean pooling, "
        "but here it is the last real state that is asked for.",
    ),
    maximum_over_steps=edit(
        "last = states[rows, lengths - 1]",
        "last = states.max(axis=1)",
        "each_row_ends_where_it_ends",
        "Your prediction is made from each unit's largest value over time. The last real state is asked for.",
    ),
    first_state_classified=edit(
        "last = states[rows, lengths - 1]",
        "last = states[:, 0]",
        "each_row_ends_where_it_ends",
        "Your prediction is made from the first state, which has seen one step only.",
    ),
    every_length_for_every_row=edit(
        "last = states[rows, lengths - 1]",
        "last = states[:, lengths - 1]",
        "each_row_ends_where_it_ends",
        "Your index picks every length in every row. Each row goes with its own length, which takes an index for "
        "rows as well.",
    ),
    classify_starts_from_zeros=edit(
        'states = rnn_forward(x, h0, params["W_x"]',
        'states = rnn_forward(x, np.zeros_like(h0), params["W_x"]',
        "each_row_ends_where_it_ends",
        "Your network starts from a state of zeros instead of h0.",
    ),
    classify_returns_logits=edit(
        'return output_probs(last, params["W_y"], params["b_y"])',
        'return last @ params["W_y"].T + params["b_y"]',
        "each_row_ends_where_it_ends",
        "Your result holds logits. The softmax that turns them into probabilities is missing.",
    ),
    classify_returns_classes=edit(
        'return output_probs(last, params["W_y"], params["b_y"])',
        'return output_probs(last, params["W_y"], params["b_y"]).argmax(axis=-1)',
        "each_row_ends_where_it_ends",
        "Your result holds the likeliest classes. All the probabilities are asked for.",
    ),
    classify_every_step=edit(
        "last = states[rows, lengths - 1]",
        "last = states",
        "each_row_ends_where_it_ends",
        "Your network predicts at every step. From many steps to one answer, only the last real state predicts.",
    ),
    filler_set_to_zero=edit(
        '    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])\n'
        "    rows = np.arange(len(lengths))\n    last = states[rows, lengths - 1]",
        "    rows = np.arange(x.shape[1])\n    x = x * (rows < lengths[:, None])[..., None]\n"
        '    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])\n    last = states[:, -1]',
        "each_row_ends_where_it_ends",
        "Your filler is set to zero and then read. A step changes the state even if its input is zero, by W_h and "
        "the bias, so the state at the end is not the one after the last real step.",
    ),
    probabilities_averaged=edit(
        '    last = states[rows, lengths - 1]\n    return output_probs(last, params["W_y"], params["b_y"])',
        "    real = (np.arange(states.shape[1]) < lengths[:, None])[..., None]\n"
        '    probs = output_probs(states, params["W_y"], params["b_y"])\n'
        "    return (probs * real).sum(axis=1) / lengths[rows, None]",
        "each_row_ends_where_it_ends",
        "Your result is the mean of the predictions at all real steps. Only the last real step predicts.",
    ),
    lengths_written_over=edit(
        "last = states[rows, lengths - 1]",
        "lengths -= 1\n    last = states[rows, lengths]",
        "classifying_leaves_its_inputs_alone",
        "Your subtraction is written into the caller's lengths (`-=` does that). The probabilities are right, but "
        "the next call will find every sequence one step shorter.",
    ),
    counted_from_the_end=edit(
        "last = states[rows, lengths - 1]",
        "last = states[rows, -lengths]",
        "one_step_and_two_steps",
        "Your index counts the length from the end of the array. The real steps stand at the beginning, filler behind "
        "them.",
    ),
    classes_share_over_the_batch=edit(
        'return output_probs(last, params["W_y"], params["b_y"])',
        'return softmax(last @ params["W_y"].T + params["b_y"], axis=0)',
        "one_step_and_two_steps",
        "Your probabilities sum to one over the sequences of the batch. It is the classes that share, in each row.",
    ),
    h0_counts_as_first_step=edit(
        "last = states[rows, lengths - 1]",
        "last = np.concatenate([h0[:, None], states], axis=1)[rows, lengths - 1]",
        "hell_and_he",
        "Your states begin with h0, so every index finds the state one step too early.",
    ),
    states_at_filler_set_to_zero=edit(
        "last = states[rows, lengths - 1]",
        "last = (states * (np.arange(states.shape[1]) < lengths[:, None])[..., None])[:, -1]",
        "hell_and_he",
        "Your states at filler are set to zero, and then the last column is taken: for a row that ends earlier, that is "
        "a state of zeros. Take the state at each row's own last real step.",
    ),
    maximum_over_real_steps=edit(
        "last = states[rows, lengths - 1]",
        "last = np.where((np.arange(states.shape[1]) < lengths[:, None])[..., None], states, -np.inf).max(axis=1)",
        "hell_and_he",
        "Your prediction is made from each unit's largest value over the real steps. That is max pooling; here it is the "
        "last real state that is asked for.",
    ),
    sorted_and_not_turned_back=edit(
        '    last = states[rows, lengths - 1]\n    return output_probs(last, params["W_y"], params["b_y"])',
        "    last = states[rows, lengths - 1][np.argsort(-lengths)]\n"
        '    return output_probs(last, params["W_y"], params["b_y"])',
        "one_step_and_two_steps",
        "Your rows are sorted by length, and the answers stay in that order. Each belongs in the place of its sequence.",
    ),
    turned_back_by_the_same_order=edit(
        '    last = states[rows, lengths - 1]\n    return output_probs(last, params["W_y"], params["b_y"])',
        "    order = np.argsort(-lengths)\n    last = states[rows, lengths - 1][order][order]\n"
        '    return output_probs(last, params["W_y"], params["b_y"])',
        "one_step_and_two_steps",
        "Your rows are sorted by length, and then put into that order a second time. To undo an order takes its "
        "inverse, which is the same only for a few of them.",
    ),
    h0_not_sorted_along=edit(
        '    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])\n'
        "    rows = np.arange(len(lengths))\n    last = states[rows, lengths - 1]",
        "    order = np.argsort(-lengths)\n"
        '    states = rnn_forward(x[order], h0, params["W_x"], params["W_h"], params["b"])[np.argsort(order)]\n'
        "    rows = np.arange(len(lengths))\n    last = states[rows, lengths - 1]",
        "one_step_and_two_steps",
        "Your inputs are sorted by length, but h0 is not, so sequences start from each other's states.",
    ),
    length_of_first_row_for_all=edit(
        "last = states[rows, lengths - 1]",
        "last = states[:, lengths[0] - 1]",
        "hell_and_he",
        "All your rows are judged where the first of them ends. Each has a length of its own.",
    ),
    state_leaks_between_rows=edit(
        '    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])\n'
        "    rows = np.arange(len(lengths))\n    last = states[rows, lengths - 1]",
        "    last = np.empty((len(x), h0.shape[1]))\n    h = h0[:1]\n    for row, length in enumerate(lengths):\n"
        "        for t in range(length):\n"
        '            h = rnn_step(x[row : row + 1, t], h, params["W_x"], params["W_h"], params["b"])\n'
        "        last[row] = h[0]",
        "hell_and_he",
        "Your second sequence starts where the first one ended. Each row starts from its own row of h0.",
    ),
    sorted_upwards_and_not_turned_back=edit(
        '    last = states[rows, lengths - 1]\n    return output_probs(last, params["W_y"], params["b_y"])',
        "    last = states[rows, lengths - 1][np.argsort(lengths)]\n"
        '    return output_probs(last, params["W_y"], params["b_y"])',
        "one_step_and_two_steps",
        "Your rows are sorted by length, and the answers stay in that order. Each belongs in the place of its sequence.",
    ),
    sum_over_real_steps=edit(
        "last = states[rows, lengths - 1]",
        "last = (states * (np.arange(states.shape[1]) < lengths[:, None])[..., None]).sum(axis=1)",
        "hell_and_he",
        "Your prediction is made from the sum of the real states. It is the last real one that is asked for.",
    ),
    lengths_from_the_inputs=edit(
        "last = states[rows, lengths - 1]",
        "last = states[rows, (x != 0).any(axis=-1).sum(axis=1) - 1]",
        "hell_and_he",
        "Your code takes a step for filler if its input is zero. Filler may be anything; `lengths` says how many steps are real.",
    ),
    filler_written_over=edit(
        'states = rnn_forward(x, h0, params["W_x"]',
        'x[np.arange(x.shape[1]) >= lengths[:, None]] = 0\n    states = rnn_forward(x, h0, params["W_x"]',
        "classifying_leaves_the_padding_alone",
        "Your function writes zeros over the filler in the caller's x. The probabilities are right, but x is another one "
        "afterwards.",
    ),
    all_parameters_handed_on=edit(
        'states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])\n    rows',
        "states = rnn_forward(x, h0, **params)\n    rows",
        "hell_and_he",
        "Your call hands on all five arrays (`**params`). rnn_forward takes three of them.",
    ),
)

GENERATE = mistakes_of(
    "generate",
    greedy=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        "drawn = int(np.argmax(probs))",
        "every_token_is_drawn_as_agreed",
        "Your tokens are always the likeliest ones, whatever the uniform numbers say. Then the network has only one "
        "text to write, and mostly a dull one.",
    ),
    state_not_carried=edit(
        'h = rnn_step(one_hot, h, params["W_x"]',
        'h = rnn_step(one_hot, h0, params["W_x"]',
        "every_token_is_drawn_as_agreed",
        "All your steps start from h0, so the network knows the last token and nothing before it.",
    ),
    token_not_fed_back=edit(
        "one_hot = np.eye(size)[token]",
        "one_hot = np.eye(size)[first_id]",
        "every_token_is_drawn_as_agreed",
        "Your network reads first_id at every step. It has to read what it has just written, or it does not know "
        "what that was.",
    ),
    likeliest_token_fed_back=edit(
        "        token = min(drawn, size - 1)  # rounding may leave the last sum a hair below one\n"
        "        ids.append(token)",
        "        ids.append(min(drawn, size - 1))\n        token = int(np.argmax(probs))",
        "every_token_is_drawn_as_agreed",
        "Your network reads the likeliest token while another one was written. It has to read the text that is "
        "really there.",
    ),
    probabilities_fed_back=edit(
        "one_hot = np.eye(size)[token]",
        "one_hot = np.eye(size)[token] if not ids else probs",
        "every_token_is_drawn_as_agreed",
        "Your network reads the whole distribution instead of the token that was drawn. Only one token is in the text.",
    ),
    first_id_among_the_ids=edit(
        "h, token, ids = h0, first_id, []",
        "h, token, ids = h0, first_id, [first_id]",
        "every_token_is_drawn_as_agreed",
        "Your result begins with first_id, so it is one too long. The tokens that were drawn are asked for.",
    ),
    first_id_for_the_last=edit(
        "return np.array(ids)",
        "return np.array([first_id, *ids[:-1]])",
        "every_token_is_drawn_as_agreed",
        "Your result holds the tokens that were read: first_id, and all drawn ones but the last. The tokens that "
        "were drawn are asked for.",
    ),
    draws_before_reading=edit(
        '        h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])\n'
        '        probs = output_probs(h, params["W_y"], params["b_y"])\n',
        '        probs = output_probs(h, params["W_y"], params["b_y"])\n'
        '        h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])\n',
        "one_token_only",
        "Your prediction is made from the state before the token is read. First read, then predict.",
    ),
    generate_starts_from_zeros=edit(
        "h, token, ids = h0, first_id, []",
        "h, token, ids = np.zeros_like(h0), first_id, []",
        "every_token_is_drawn_as_agreed",
        "Your network starts from a state of zeros instead of h0.",
    ),
    first_uniform_for_all=edit(
        "for u in uniforms[:n]:",
        "for u in [uniforms[0]] * n:",
        "every_token_is_drawn_as_agreed",
        "All your tokens are drawn with the first uniform number. Each has one of its own.",
    ),
    uniforms_from_the_end=edit(
        "for u in uniforms[:n]:",
        "for u in uniforms[:n][::-1]:",
        "every_token_is_drawn_as_agreed",
        "Your uniform numbers are used from the last to the first. The first token takes the first of them.",
    ),
    first_sum_that_reaches_the_number=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        'drawn = int(np.searchsorted(cumulative, u, side="left"))',
        "impossible_tokens_are_never_written",
        "You take the first token whose cumulative probability reaches the uniform number; it has to exceed it. With a "
        "number of 0, a first token of probability 0 would be written.",
    ),
    one_minus_uniform=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        'drawn = int(np.searchsorted(cumulative, 1 - u, side="right"))',
        "small_and_large_uniforms",
        "Your tokens are drawn with 1 - u, which means counting from the other end. It is as random, but not what "
        "was agreed on: small numbers draw small ids.",
    ),
    likeliest_first=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        "order = np.argsort(-probs)\n"
        '        drawn = int(order[min(np.searchsorted(np.cumsum(probs[order]), u, side="right"), size - 1)])',
        "every_token_is_drawn_as_agreed",
        "Your tokens are lined up by their probabilities, likeliest first. It is as random, but not what was "
        "agreed on: they are lined up by their ids.",
    ),
    last_below_the_uniform=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        'drawn = max(int(np.searchsorted(cumulative, u, side="right")) - 1, 0)',
        "every_token_is_drawn_as_agreed",
        "Your token is the last one whose cumulative probability is still below the uniform number, one too early. "
        "It is the first one that exceeds it.",
    ),
    uniform_against_single_probabilities=edit(
        "cumulative = np.cumsum(probs)",
        "cumulative = np.maximum.accumulate(probs)",
        "every_token_is_drawn_as_agreed",
        "Your uniform number is compared with single probabilities. They have to be added up first, so that each "
        "token owns a piece of the line from 0 to 1 as long as its probability.",
    ),
    all_tokens_alike=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        "drawn = int(u * size)",
        "every_token_is_drawn_as_agreed",
        "Your tokens are drawn as if all were equally likely. What the network predicts plays no part in it.",
    ),
    cumulates_logits=edit(
        "cumulative = np.cumsum(probs)",
        'cumulative = np.cumsum(h @ params["W_y"].T + params["b_y"])',
        "every_token_is_drawn_as_agreed",
        "Your running sum is one of logits, which may go down as well as up. Probabilities are what has to be "
        "added up.",
    ),
    row_for_column=edit(
        'h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])',
        'h = np.tanh(params["W_x"][token] + params["W_h"] @ h + params["b"])',
        "equal_sizes_hide_no_error",
        "Your step takes a row of W_x for the token. W_x is laid out (hidden, vocab), so what a one-hot vector "
        "picks is a column.",
    ),
    id_as_number=edit(
        "one_hot = np.eye(size)[token]",
        "one_hot = np.full(size, float(token)) / size",
        "every_token_is_drawn_as_agreed",
        "Your network reads the id as a number. Ids are names, not quantities; token 4 is not twice token 2, which "
        "is why they go in as one-hot vectors.",
    ),
    writes_over_h0=edit(
        "return np.array(ids)",
        "h0[...] = h\n    return np.array(ids)",
        "writing_leaves_its_inputs_alone",
        "Your last state is written into the caller's h0. The text is right, but it cannot be written again.",
    ),
    earlier_tokens_stay_in_one_hot=edit(
        "one_hot = np.eye(size)[token]",
        "one_hot = np.isin(np.arange(size), [first_id, *ids]).astype(float)",
        "as_many_units_as_tokens",
        "Your one-hot vector keeps the ones of earlier tokens. It is a new vector at each step, with a single one.",
    ),
    rank_for_id=edit(
        "cumulative = np.cumsum(probs)",
        "cumulative = np.cumsum(np.sort(probs)[::-1])",
        "ello_is_written",
        "Your probabilities are sorted before they are added up, so what is drawn is a rank and no id. They are lined "
        "up by their ids.",
    ),
    uniform_against_probabilities_else_first=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        "drawn = int(np.argmax(probs > u))",
        "ello_is_written",
        "Your uniform number is compared with single probabilities. They have to be added up first, so that each "
        "token owns a piece of the line from 0 to 1 as long as its probability.",
    ),
    last_token_never_drawn=edit(
        "token = min(drawn, size - 1)",
        "token = min(drawn, size - 2)",
        "ello_is_written",
        "Your last token is never drawn: your search ends one id too early.",
    ),
    one_token_too_late=edit(
        "token = min(drawn, size - 1)",
        "token = min(drawn + 1, size - 1)",
        "ello_is_written",
        "Your token is one id too large. The sums that you search begin with p_0, and not with 0.",
    ),
    nearest_sum=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        "drawn = int(np.argmin(np.abs(cumulative - u)))",
        "ello_is_written",
        "You take the token whose cumulative probability is closest to the uniform number. It is the first one that "
        "exceeds it.",
    ),
    one_minus_uniform_else_first=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        "drawn = int(np.argmax(cumulative > 1 - u))",
        "other_numbers_write_otherwise",
        "Your tokens are drawn with 1 - u, which means counting from the other end. It is as random, but not what "
        "was agreed on: small numbers draw small ids.",
    ),
    one_hot_of_n=edit(
        "one_hot = np.eye(size)[token]",
        "one_hot = np.eye(n)[token]",
        "as_many_units_as_tokens",
        "Your one-hot vector is as long as the text that is to be written. It is as long as the vocabulary.",
    ),
    one_token_too_few=edit(
        "for u in uniforms[:n]:",
        "for u in uniforms[: n - 1]:",
        "ello_is_written",
        "Your text is one token short: n are to be drawn, and first_id is not one of them.",
    ),
    drawn_from_one_prediction=edit(
        'h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])',
        'h = h if ids else rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])',
        "ello_is_written",
        "All your tokens are drawn from the prediction behind first_id. The network has to read each token before it "
        "predicts the next one.",
    ),
    first_id_not_read=edit(
        "one_hot = np.eye(size)[token]",
        "one_hot = np.eye(size)[token] if ids else np.zeros(size)",
        "one_token_only",
        "Your first step reads zeros. It reads first_id, as a one-hot vector.",
    ),
    random_numbers_of_its_own=edit(
        'drawn = int(np.searchsorted(cumulative, u, side="right"))',
        "drawn = int(np.random.choice(size, p=probs))",
        "every_token_is_drawn_as_agreed",
        "Your tokens are drawn with random numbers of numpy's, so the text is another one each time. The uniform numbers that are "
        "given decide.",
    ),
    ids_in_a_list=edit(
        "        ids.append(token)\n    return np.array(ids)",
        "        ids.append(token)\n    return ids",
        "ello_is_written",
        "Your ids come back as a list. A numpy array is asked for.",
    ),
)


CAPTION = mistakes_of(
    "caption",
    image_added_before_every_step=edit(
        """    state, word, written = np.tanh(W_i @ image), bos, []
    for _ in range(max_len):
        state = rnn_step(np.eye(size)[word], state, params""",
        """    state, word, written = np.zeros(len(W_i)), bos, []
    for _ in range(max_len):
        state = rnn_step(np.eye(size)[word], state + np.tanh(W_i @ image), params""",
        "three_images_of_the_handout",
        "Your image is added to the state before every step. It is seen once: the first state is tanh(W_i image), and no other "
        "has it added.",
    ),
    image_not_used=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        "state, word, written = np.zeros(len(W_i)), bos, []",
        "three_images_of_the_handout",
        "Your network starts from zeros, so it never sees the image. Its first state is tanh(W_i image).",
    ),
    image_without_tanh=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        "state, word, written = W_i @ image, bos, []",
        "captions_end_with_eos",
        "Your first state lacks the tanh: the states of this network lie between -1 and 1, and the first one should, too.",
    ),
    image_through_a_sigmoid=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        "state, word, written = 1 / (1 + np.exp(-(W_i @ image))), bos, []",
        "three_images_of_the_handout",
        "Your first state goes through a sigmoid where the formula has a tanh.",
    ),
    image_with_the_bias=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        'state, word, written = np.tanh(W_i @ image + params["b"]), bos, []',
        "captions_end_with_eos",
        "Your first state has the bias b added. In this network b belongs to the steps; the image goes through W_i alone.",
    ),
    W_i_transposed=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        "state, word, written = np.tanh(image @ W_i), bos, []",
        "equal_sizes_hide_no_error_in_captions",
        "Your W_i is transposed. It is laid out (hidden, features), so the image is multiplied from the right: W_i @ image.",
    ),
    image_at_every_step=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"]',
        'state = rnn_step(np.eye(size)[word], np.tanh(W_i @ image), params["W_x"]',
        "three_images_of_the_handout",
        "Your state is made of the image again at every step, so the network forgets what it has written. The image makes the first state only.",
    ),
    image_added_at_every_step=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"], params["W_h"], params["b"])',
        'state = rnn_step(np.eye(size)[word], state, params["W_x"], params["W_h"], params["b"] + W_i @ image)',
        "three_images_of_the_handout",
        "Your image is added at every step. Here it is seen once, in the first state.",
    ),
    bos_not_read=edit(
        "for _ in range(max_len):",
        'written.append(word := int(np.argmax(output_probs(state, params["W_y"], params["b_y"]))))\n    for _ in range(max_len - 1 if word != eos else 0):',
        "three_images_of_the_handout",
        "Your first token is predicted from the image alone. The network reads bos before it writes.",
    ),
    caption_writes_before_reading=edit(
        '        state = rnn_step(np.eye(size)[word], state, params["W_x"], params["W_h"], params["b"])\n        word = int(np.argmax(output_probs(state, params["W_y"], params["b_y"])))\n',
        '        read = np.eye(size)[word]\n        word = int(np.argmax(output_probs(state, params["W_y"], params["b_y"])))\n        state = rnn_step(read, state, params["W_x"], params["W_h"], params["b"])\n',
        "three_images_of_the_handout",
        "Your prediction is made from the state before the token is read. First read, then predict.",
    ),
    bos_read_again=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"]',
        'state = rnn_step(np.eye(size)[bos], state, params["W_x"]',
        "three_images_of_the_handout",
        "Your network reads bos at every step. After the first one it has to read what it has just written.",
    ),
    eos_read_first=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        "state, word, written = np.tanh(W_i @ image), eos, []",
        "three_images_of_the_handout",
        "Your network reads eos first. A caption begins with bos.",
    ),
    least_probable_token=edit(
        'word = int(np.argmax(output_probs(state, params["W_y"], params["b_y"])))',
        'word = int(np.argmin(output_probs(state, params["W_y"], params["b_y"])))',
        "three_images_of_the_handout",
        "Your tokens are the least probable ones.",
    ),
    distribution_read=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"]',
        'state = rnn_step(np.eye(size)[word] if not written else output_probs(state, params["W_y"], params["b_y"]), state, params["W_x"]',
        "captions_end_with_eos",
        "Your network reads the whole distribution instead of the token that was written. Only one token is in the caption.",
    ),
    bos_among_the_written=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        "state, word, written = np.tanh(W_i @ image), bos, [bos]",
        "three_images_of_the_handout",
        "Your caption begins with bos, which is read and not written.",
    ),
    caption_without_eos=edit(
        "        if word == eos:\n            break\n    return np.array(written)",
        "        if word == eos:\n            break\n    return np.array(written[:-1] if word == eos else written, dtype=int)",
        "three_images_of_the_handout",
        "Your caption lacks its eos. It is written, and belongs to the ids.",
    ),
    end_not_seen=edit(
        "        if word == eos:\n            break\n    return np.array(written)",
        "    return np.array(written)",
        "three_images_of_the_handout",
        "Your network goes on after eos. Writing eos ends the caption.",
    ),
    ends_at_bos=edit(
        "        if word == eos:\n            break\n    return np.array(written)",
        "        if word == bos:\n            break\n    return np.array(written)",
        "three_images_of_the_handout",
        "Your caption ends at bos. It is eos that ends one.",
    ),
    ends_never_by_max_len=edit(
        "for _ in range(max_len):",
        "for _ in range(max_len + 50):",
        "long_captions_are_cut_off",
        "Your caption goes on beyond max_len tokens. It ends there, with eos or without.",
    ),
    one_token_short=edit(
        "for _ in range(max_len):",
        "for _ in range(max_len - 1):",
        "long_captions_are_cut_off",
        "Your caption is one token short: max_len tokens may be written, and bos is not one of them.",
    ),
    one_token_long=edit(
        "for _ in range(max_len):",
        "for _ in range(max_len + 1):",
        "long_captions_are_cut_off",
        "Your caption is one token too long: max_len tokens may be written, and no more.",
    ),
    ends_before_it_begins=edit(
        "for _ in range(max_len):",
        "for _ in range(max_len if bos != eos else 0):",
        "one_token_for_both_ends",
        "Your caption is empty where bos and eos are the same id. What is read first ends nothing; only a token that was written does.",
    ),
    filled_up_to_max_len=edit(
        "        if word == eos:\n            break\n    return np.array(written)",
        "        if word == eos:\n            break\n    return np.array(written + [eos] * (max_len - len(written)))",
        "three_images_of_the_handout",
        "Your caption is filled up with eos to max_len tokens. It is as long as what was written, eos included.",
    ),
    filled_up_with_zeros=edit(
        "        if word == eos:\n            break\n    return np.array(written)",
        "        if word == eos:\n            break\n    return np.array(written + [0] * (max_len - len(written)))",
        "three_images_of_the_handout",
        "Your caption is filled up with zeros to max_len tokens. It is as long as what was written, eos included.",
    ),
    caption_without_memory=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"]',
        'state = rnn_step(np.eye(size)[word], np.zeros_like(state), params["W_x"]',
        "three_images_of_the_handout",
        "Your steps all start from a state of zeros, so neither the image nor an earlier token is remembered.",
    ),
    id_read_as_number=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"]',
        'state = rnn_step(np.full(size, float(word)) / size, state, params["W_x"]',
        "three_images_of_the_handout",
        "Your network reads the id as a number. Ids are names, not quantities, which is why they go in as one-hot vectors.",
    ),
    rows_of_W_x_in_captions=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"], params["W_h"], params["b"])',
        'state = np.tanh(params["W_x"][word] + params["W_h"] @ state + params["b"])',
        "equal_sizes_hide_no_error_in_captions",
        "Your step takes a row of W_x for the token. W_x is laid out (hidden, vocab), so what a one-hot vector picks is a column.",
    ),
    writes_over_the_image=edit(
        "        if word == eos:\n            break\n    return np.array(written)",
        "        if word == eos:\n            break\n    image[...] = 0\n    return np.array(written)",
        "images_stay_as_they_are",
        "Your code writes over the caller's image. The caption is right, but it cannot be written again.",
    ),
    first_state_added_at_every_step=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"], params["W_h"], params["b"])',
        'state = rnn_step(np.eye(size)[word], state, params["W_x"], params["W_h"], params["b"] + np.tanh(W_i @ image))',
        "three_images_of_the_handout",
        "Your first state is added again at every step. Here the image is seen once, in the first state.",
    ),
    eos_added_where_cut_off=edit(
        "    return np.array(written)",
        "    return np.array(written if written[-1] == eos else [*written, eos])",
        "long_captions_are_cut_off",
        "Your caption gets an eos at its end even where max_len cuts it off. It holds what was written, and no more.",
    ),
    ends_at_bos_too=edit(
        "        if word == eos:\n            break\n    return np.array(written)",
        "        if word in (eos, bos):\n            break\n    return np.array(written)",
        "captions_without_eos_are_cut_off",
        "Your caption ends at bos as well. The network may write that token like any other; it is eos that ends a "
        "caption.",
    ),
    bos_never_written=edit(
        'word = int(np.argmax(output_probs(state, params["W_y"], params["b_y"])))',
        'word = int(np.argmax(output_probs(state, params["W_y"], params["b_y"]) - (bos != eos) * np.eye(size)[bos]))',
        "captions_without_eos_are_cut_off",
        "Your code never lets the network write bos. It takes the most probable token, whichever that is.",
    ),
    image_goes_through_a_step=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        'state, word, written = np.tanh(params["W_h"] @ np.tanh(W_i @ image) + params["b"]), bos, []',
        "three_images_of_the_handout",
        "Your first state goes through a step of its own before bos is read. Here tanh(W_i image) is h_0 itself, and the "
        "first step reads bos.",
    ),
    image_through_a_relu=edit(
        "state, word, written = np.tanh(W_i @ image), bos, []",
        "state, word, written = np.maximum(W_i @ image, 0.0), bos, []",
        "three_images_of_the_handout",
        "Your first state goes through a ReLU where the formula has a tanh.",
    ),
    last_token_replaced_by_eos=edit(
        "    return np.array(written)",
        "    return np.array([*written[:-1], eos])",
        "long_captions_are_cut_off",
        "Your last token becomes eos where max_len cuts the caption off. It holds what was written, and no more.",
    ),
    first_state_added_to_each_state=edit(
        'state = rnn_step(np.eye(size)[word], state, params["W_x"]',
        'state = rnn_step(np.eye(size)[word], state + np.tanh(W_i @ image), params["W_x"]',
        "three_images_of_the_handout",
        "Your first state is added to the state at every step. Here the image is seen once, in the first state.",
    ),
    caption_in_a_list=edit(
        "    return np.array(written)",
        "    return written",
        "three_images_of_the_handout",
        "Your ids come back as a list. A numpy array is asked for.",
    ),
)


MISCONCEPTIONS = (
    *VOCAB,
    *ENCODE,
    *DECODE,
    *SOFTMAX,
    *STEP,
    *FORWARD,
    *OUTPUT,
    *LOSS,
    *LOG_PROB,
    *PERPLEXITY,
    *BITS,
    *CLASSIFY,
    *GENERATE,
    *CAPTION,
)
