"""Known mistakes of a1_rnn, each the smallest edit of the reference that makes it, with what a student reads."""

from autograder.course.spec import Misconception

VOCAB = (
    Misconception(
        "ids_by_appearance",
        "build_vocab",
        old="characters = sorted(set(text))",
        new="characters = dict.fromkeys(text)",
        caught_by="every_character_once",
        says="Your ids follow the order in which characters first appear. Then another text with the same characters "
        "gets other ids; the order agreed on is the sorted one.",
    ),
    Misconception(
        "ids_from_one",
        "build_vocab",
        old="return {character: index for index, character in enumerate(characters)}",
        new="return {character: index for index, character in enumerate(characters, start=1)}",
        caught_by="every_character_once",
        says="Your ids start at 1. They are used as indices, so the first one is 0 and the last one is one less than "
        "how many there are.",
    ),
    Misconception(
        "vocab_inverted",
        "build_vocab",
        old="return {character: index for index, character in enumerate(characters)}",
        new="return dict(enumerate(characters))",
        caught_by="every_character_once",
        says="Your dict leads from ids to characters. A vocabulary is asked for the id of a character.",
    ),
    Misconception(
        "vocab_counts",
        "build_vocab",
        old="return {character: index for index, character in enumerate(characters)}",
        new="return {character: text.count(character) for character in characters}",
        caught_by="every_character_once",
        says="Your dict holds how often each character occurs. Then two characters may share a number, and nobody could "
        "tell them apart again.",
    ),
    Misconception(
        "vocab_with_duplicates",
        "build_vocab",
        old="characters = sorted(set(text))",
        new="characters = sorted(text)",
        caught_by="every_character_once",
        says="Your numbering goes over every character of the text instead of every different one, so ids are left out "
        "where a character repeats.",
    ),
    Misconception(
        "vocab_by_position",
        "build_vocab",
        old="characters = sorted(set(text))",
        new="characters = text",
        caught_by="every_character_once",
        says="Your ids are positions in the text, for a character that repeats the last one. There are as many ids as "
        "different characters, without gaps.",
    ),
    Misconception(
        "vocab_lowercases",
        "build_vocab",
        old="characters = sorted(set(text))",
        new="characters = sorted(set(text.lower()))",
        caught_by="every_character_once",
        says="Your vocabulary turns capitals into small letters. To a model that reads characters, H and h are two "
        "tokens.",
    ),
    Misconception(
        "vocab_drops_blanks",
        "build_vocab",
        old="characters = sorted(set(text))",
        new='characters = sorted(set("".join(text.split())))',
        caught_by="every_character_once",
        says="Your vocabulary has no blanks or line ends. They are characters like any other, and without them the text "
        "cannot be put together again.",
    ),
    Misconception(
        "vocab_drops_signs",
        "build_vocab",
        old="characters = sorted(set(text))",
        new="characters = sorted({character for character in text if character.isalnum()})",
        caught_by="every_character_once",
        says="Your vocabulary keeps letters and digits only. Blanks, commas and line ends are tokens, too.",
    ),
    Misconception(
        "vocab_of_words",
        "build_vocab",
        old="characters = sorted(set(text))",
        new="characters = sorted(set(text.split()))",
        caught_by="every_character_once",
        says="Your tokens are words. Here they are characters, blanks and signs among them: a text of three words may have "
        "ten of them.",
    ),
    Misconception(
        "vocab_ignores_case_in_order",
        "build_vocab",
        old="characters = sorted(set(text))",
        new="characters = sorted(set(text), key=lambda character: (character.lower(), character))",
        caught_by="every_character_once",
        says="Your order puts small and capital letters side by side, as a dictionary does. Python sorts by the number "
        "of the character, in which all capitals come first.",
    ),
    Misconception(
        "vocab_by_frequency",
        "build_vocab",
        old="characters = sorted(set(text))",
        new="characters = sorted(sorted(set(text)), key=text.count, reverse=True)",
        caught_by="every_character_once",
        says="Your ids go by how often a character occurs. The order agreed on is that of the characters alone.",
    ),
    Misconception(
        "vocab_reserves_zero",
        "build_vocab",
        old="return {character: index for index, character in enumerate(characters)}",
        new='return {"<pad>": 0, **{character: index for index, character in enumerate(characters, start=1)}}',
        caught_by="every_character_once",
        says="Your vocabulary has a token for filler. That is common in practice, but here the characters of the text "
        "are all there is.",
    ),
)

ENCODE = (
    Misconception(
        "encodes_as_code_points",
        "encode",
        old="ids = [vocab[character] for character in text]",
        new="ids = [ord(character) for character in text]",
        caught_by="any_text_in_any_vocabulary",
        says="Your numbers are those that Python gives to characters (`ord`). The vocabulary has its own, small ones.",
    ),
    Misconception(
        "encode_makes_its_own_vocabulary",
        "encode",
        old="ids = [vocab[character] for character in text]",
        new="vocab = build_vocab(text)\n    ids = [vocab[character] for character in text]",
        caught_by="any_text_in_any_vocabulary",
        says="Your ids come from a vocabulary that is built anew from this very text. Then the same character gets "
        "another number in every text, and a model cannot learn what it means.",
    ),
    Misconception(
        "encode_by_position_in_vocabulary",
        "encode",
        old="ids = [vocab[character] for character in text]",
        new="ids = [list(vocab).index(character) for character in text]",
        caught_by="any_text_in_any_vocabulary",
        says="Your ids are the places at which characters stand in the dict. What counts is the number written there.",
    ),
    Misconception(
        "encode_returns_a_list",
        "encode",
        old="return np.array(ids, dtype=int)",
        new="return ids",
        caught_by="any_text_in_any_vocabulary",
        says="Your ids come back as a list. A numpy array is asked for, since what follows takes whole batches of ids "
        "and compares, slices and indexes with them.",
    ),
    Misconception(
        "encode_one_hot",
        "encode",
        old="return np.array(ids, dtype=int)",
        new="return np.eye(len(vocab))[ids]",
        caught_by="any_text_in_any_vocabulary",
        says="Your result holds a one-hot vector for each character. That is what the network will read; encoding stops "
        "at the number.",
    ),
    Misconception(
        "encode_each_character_once",
        "encode",
        old="ids = [vocab[character] for character in text]",
        new="ids = [vocab[character] for character in dict.fromkeys(text)]",
        caught_by="any_text_in_any_vocabulary",
        says="Your result holds every character once. A text is a sequence, in which characters repeat.",
    ),
    Misconception(
        "encode_sorts",
        "encode",
        old="ids = [vocab[character] for character in text]",
        new="ids = sorted(vocab[character] for character in text)",
        caught_by="any_text_in_any_vocabulary",
        says="Your ids are sorted. The order of the characters is what a sequence model lives on.",
    ),
    Misconception(
        "encode_skips_blanks",
        "encode",
        old="ids = [vocab[character] for character in text]",
        new="ids = [vocab[character] for character in text if not character.isspace()]",
        caught_by="hi_class_is_nine_tokens",
        says='Your ids leave out blanks and line ends. "Hi, class" is nine tokens long, and the blank is one of them.',
    ),
    Misconception(
        "encode_eats_the_vocabulary",
        "encode",
        old="ids = [vocab[character] for character in text]",
        new='ids = [vocab[character] for character in text]\n    vocab["<pad>"] = len(vocab)',
        caught_by="encoding_leaves_the_vocabulary_alone",
        says="Your function adds an entry to the caller's vocabulary. The ids are right, but from now on the model has "
        "one token more than its weights allow for.",
    ),
)

DECODE = (
    Misconception(
        "decode_as_code_points",
        "decode",
        old='return "".join(characters[int(index)] for index in ids)',
        new='return "".join(chr(int(index)) for index in ids)',
        caught_by="any_ids_in_any_vocabulary",
        says="Your characters are those that Python has under these numbers (`chr`). The ids are the vocabulary's own.",
    ),
    Misconception(
        "decode_by_position",
        "decode",
        old="characters = {index: character for character, index in vocab.items()}",
        new="characters = list(vocab)",
        caught_by="any_ids_in_any_vocabulary",
        says="Your function takes an id for the place at which a character stands in the dict. That holds only as long "
        "as the entries happen to stand in the order of their ids.",
    ),
    Misconception(
        "decode_by_sorted_characters",
        "decode",
        old="characters = {index: character for character, index in vocab.items()}",
        new="characters = sorted(vocab)",
        caught_by="any_ids_in_any_vocabulary",
        says="Your function takes for granted that ids follow the order of the characters. The vocabulary that is "
        "passed in says which number belongs to which character, and may say otherwise.",
    ),
    Misconception(
        "decode_joins_with_blanks",
        "decode",
        old='return "".join(characters[int(index)] for index in ids)',
        new='return " ".join(characters[int(index)] for index in ids)',
        caught_by="any_ids_in_any_vocabulary",
        says="Your text has blanks between all characters. Blanks are tokens of their own here, and stand where the ids "
        "say so.",
    ),
    Misconception(
        "decode_returns_a_list",
        "decode",
        old='return "".join(characters[int(index)] for index in ids)',
        new="return [characters[int(index)] for index in ids]",
        caught_by="any_ids_in_any_vocabulary",
        says="Your characters come back one by one in a list. They belong together as one string.",
    ),
    Misconception(
        "decode_through_the_vocabulary",
        "decode",
        old='return "".join(characters[int(index)] for index in ids)',
        new='return "".join(vocab[int(index)] for index in ids)',
        caught_by="any_ids_in_any_vocabulary",
        says="Your function looks up an id among the characters. The dict leads from characters to ids, so it has to be "
        "turned round first.",
    ),
    Misconception(
        "decode_off_by_one",
        "decode",
        old="characters = {index: character for character, index in vocab.items()}",
        new="characters = dict(enumerate(sorted(vocab, key=vocab.get), start=1))",
        caught_by="any_ids_in_any_vocabulary",
        says="Your ids are counted from 1. The first character has the id 0.",
    ),
    Misconception(
        "decode_strips",
        "decode",
        old='return "".join(characters[int(index)] for index in ids)',
        new='return "".join(characters[int(index)] for index in ids if not characters[int(index)].isspace())',
        caught_by="decode_undoes_encode",
        says="Your text has lost its blanks and line ends. They have ids like all other characters.",
    ),
)

SOFTMAX = (
    Misconception(
        "softmax_overflows",
        "softmax",
        old="shifted = x - x.max(axis=axis, keepdims=True)",
        new="shifted = x",
        caught_by="a_row_may_span_thousands",
        says="Your exponential overflows (or all of them become zero), and what comes out is no number. A softmax stays "
        "the same when a constant is taken off all entries that share a sum.",
    ),
    Misconception(
        "softmax_global_max",
        "softmax",
        old="shifted = x - x.max(axis=axis, keepdims=True)",
        new="shifted = x - x.max()",
        caught_by="every_slice_has_its_own_largest",
        says="Your constant is the largest entry of the whole array. A row far below it gets only zeros to share, and "
        "zero divided by zero is no number.",
    ),
    Misconception(
        "softmax_subtracts_mean",
        "softmax",
        old="shifted = x - x.max(axis=axis, keepdims=True)",
        new="shifted = x - x.mean(axis=axis, keepdims=True)",
        caught_by="a_row_may_span_thousands",
        says="Your constant is the mean. An entry may lie more than 709 above the mean, and its exponential still "
        "overflows.",
    ),
    Misconception(
        "softmax_subtracts_min",
        "softmax",
        old="shifted = x - x.max(axis=axis, keepdims=True)",
        new="shifted = x - x.min(axis=axis, keepdims=True)",
        caught_by="a_row_may_span_thousands",
        says="Your constant is the smallest entry, which makes all others positive. It is large exponents that "
        "overflow.",
    ),
    Misconception(
        "softmax_ignores_axis",
        "softmax",
        old="    shifted = x - x.max(axis=axis, keepdims=True)",
        new="    axis = -1\n    shifted = x - x.max(axis=axis, keepdims=True)",
        caught_by="shares_along_any_axis",
        says="Your shares always sum to one along the last axis. The caller says which axis it is.",
    ),
    Misconception(
        "softmax_over_first_axis",
        "softmax",
        old="    shifted = x - x.max(axis=axis, keepdims=True)",
        new="    axis = 0\n    shifted = x - x.max(axis=axis, keepdims=True)",
        caught_by="shares_along_any_axis",
        says="Your shares always sum to one along the first axis. The caller says which axis it is, and it is the last "
        "one unless said otherwise.",
    ),
    Misconception(
        "softmax_over_everything",
        "softmax",
        old="return raised / raised.sum(axis=axis, keepdims=True)",
        new="return raised / raised.sum()",
        caught_by="shares_along_any_axis",
        says="Your shares sum to one over the whole array. Each slice along the axis has a total of its own.",
    ),
    Misconception(
        "softmax_max_without_keepdims",
        "softmax",
        old="shifted = x - x.max(axis=axis, keepdims=True)",
        new="shifted = x - x.max(axis=axis)",
        caught_by="shares_along_any_axis",
        says="Your maximum has lost its axis (`keepdims`), so numpy either cannot subtract it or lines it up with the "
        "wrong entries.",
    ),
    Misconception(
        "softmax_sum_without_keepdims",
        "softmax",
        old="return raised / raised.sum(axis=axis, keepdims=True)",
        new="return raised / raised.sum(axis=axis)",
        caught_by="shares_along_any_axis",
        says="Your sum has lost its axis (`keepdims`), so numpy either cannot divide by it or divides by the sum of "
        "another slice.",
    ),
    Misconception(
        "softmax_without_exponential",
        "softmax",
        old="return raised / raised.sum(axis=axis, keepdims=True)",
        new="return x / x.sum(axis=axis, keepdims=True)",
        caught_by="shares_along_any_axis",
        says="Your shares are the numbers divided by their sum. Numbers may be negative, shares may not; that is what "
        "the exponential is for.",
    ),
    Misconception(
        "softmax_of_absolute_values",
        "softmax",
        old="return raised / raised.sum(axis=axis, keepdims=True)",
        new="return np.abs(x) / np.abs(x).sum(axis=axis, keepdims=True)",
        caught_by="shares_along_any_axis",
        says="Your shares are absolute values divided by their sum. Then -3 counts as much as 3, while a softmax keeps "
        "the order of the numbers.",
    ),
    Misconception(
        "softmax_base_two",
        "softmax",
        old="raised = np.exp(shifted)",
        new="raised = np.exp2(shifted)",
        caught_by="shares_along_any_axis",
        says="Your powers are powers of two. The softmax is made with e, so yours is too even.",
    ),
    Misconception(
        "softmin",
        "softmax",
        old="shifted = x - x.max(axis=axis, keepdims=True)",
        new="shifted = x.min(axis=axis, keepdims=True) - x",
        caught_by="shares_along_any_axis",
        says="Your largest share goes to the smallest number. A sign has been turned.",
    ),
    Misconception(
        "softmax_returns_logarithms",
        "softmax",
        old="return raised / raised.sum(axis=axis, keepdims=True)",
        new="return shifted - np.log(raised.sum(axis=axis, keepdims=True))",
        caught_by="shares_along_any_axis",
        says="Your result holds logarithms of shares. They are useful further on, but here the shares themselves are "
        "asked for.",
    ),
    Misconception(
        "softmax_not_normalised",
        "softmax",
        old="return raised / raised.sum(axis=axis, keepdims=True)",
        new="return raised",
        caught_by="shares_along_any_axis",
        says="Your exponentials are not divided by anything: they are in proportion, but do not sum to one.",
    ),
    Misconception(
        "softmax_divides_by_max",
        "softmax",
        old="shifted = x - x.max(axis=axis, keepdims=True)",
        new="shifted = x / x.max(axis=axis, keepdims=True)",
        caught_by="shares_along_any_axis",
        says="Your numbers are divided by the largest one. Only adding or subtracting a constant leaves a softmax as it "
        "is; dividing changes how far apart the numbers are.",
    ),
    Misconception(
        "softmax_in_place",
        "softmax",
        old="shifted = x - x.max(axis=axis, keepdims=True)",
        new="shifted = np.subtract(x, x.max(axis=axis, keepdims=True), out=x)",
        caught_by="softmax_leaves_its_input_alone",
        says="Your subtraction is written into the caller's array (`-=` does that). The shares are right, but the "
        "numbers that were passed in are gone.",
    ),
)

STEP = (
    Misconception(
        "W_h_transposed",
        "rnn_step",
        old="from_past = h_prev @ W_h.T",
        new="from_past = h_prev @ W_h",
        caught_by="steps_of_any_size",
        says="Your W_h works transposed. A state is a row of your batch and the formula multiplies a column, so for "
        "rows the matrix changes sides and is turned over; being square, it does not complain.",
    ),
    Misconception(
        "W_x_transposed",
        "rnn_step",
        old="from_input = x_t @ W_x.T",
        new="from_input = x_t @ W_x",
        caught_by="as_many_features_as_units",
        says="Your W_x works transposed. It is laid out (hidden, input), so look at which of its axes meets the "
        "features of a row.",
    ),
    Misconception(
        "both_matrices_transposed",
        "rnn_step",
        old="    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n",
        new="    from_input = x_t @ W_x\n    from_past = h_prev @ W_h\n",
        caught_by="as_many_features_as_units",
        says="Your W_x and W_h both work transposed. Weights are laid out (out, in), and a batch of rows meets the last "
        "axis of each.",
    ),
    Misconception(
        "columns_for_rows",
        "rnn_step",
        old="    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n",
        new="    from_input = np.dot(W_x, x_t)\n    from_past = np.dot(W_h, h_prev)\n",
        caught_by="steps_of_any_size",
        says="Your products have the matrix on the left, as the formula does for one column vector. A batch is a stack "
        "of rows, so the features that meet the matrix stand in its last axis.",
    ),
    Misconception(
        "columns_for_rows_by_operator",
        "rnn_step",
        old="    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n",
        new="    from_input = W_x @ x_t\n    from_past = W_h @ h_prev\n",
        caught_by="steps_of_any_size",
        says="Your products have the matrix on the left, as the formula does for one column vector. A batch is a stack "
        "of rows, so the features that meet the matrix stand in its last axis.",
    ),
    Misconception(
        "weights_swapped",
        "rnn_step",
        old="    from_input = x_t @ W_x.T\n    from_past = h_prev @ W_h.T\n",
        new="    from_input = x_t @ W_h.T\n    from_past = h_prev @ W_x.T\n",
        caught_by="as_many_features_as_units",
        says="Your W_x and W_h have changed places. W_x is for what is read, W_h for what is remembered.",
    ),
    Misconception(
        "step_without_bias",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input + from_past)",
        caught_by="steps_of_any_size",
        says="Your step has no bias. With it, a unit can be on even when nothing is read and nothing remembered.",
    ),
    Misconception(
        "bias_outside_tanh",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input + from_past) + b",
        caught_by="steps_of_any_size",
        says="Your bias is added after the tanh, so your state can leave the range from -1 to 1. It belongs to the sum "
        "that goes into the tanh.",
    ),
    Misconception(
        "bias_twice",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input + b + from_past + b)",
        caught_by="steps_of_any_size",
        says="Your bias is added twice, once to each product. PyTorch has two biases for that; here there is one for "
        "the sum.",
    ),
    Misconception(
        "sum_of_tanhs",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input) + np.tanh(from_past) + b",
        caught_by="steps_of_any_size",
        says="Your two products each go through a tanh of their own before they are added. What is read and what is "
        "remembered have to meet inside one tanh, or neither can change what the other does.",
    ),
    Misconception(
        "sum_of_tanhs_with_bias_inside",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input + b) + np.tanh(from_past)",
        caught_by="steps_of_any_size",
        says="Your step adds two tanhs, one for the input with its bias and one for the past. There is one tanh, around "
        "the whole sum.",
    ),
    Misconception(
        "tanh_of_input_only",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input + b) + from_past",
        caught_by="steps_of_any_size",
        says="Your past is added outside the tanh. Nothing then keeps the state between -1 and 1, and it can grow at "
        "every step.",
    ),
    Misconception(
        "sigmoid_for_tanh",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return 1.0 / (1.0 + np.exp(-(from_input + from_past + b)))",
        caught_by="steps_of_any_size",
        says="Your units use the sigmoid, which lies between 0 and 1. The formula has tanh, between -1 and 1 and zero "
        "at zero.",
    ),
    Misconception(
        "relu_for_tanh",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.maximum(from_input + from_past + b, 0.0)",
        caught_by="steps_of_any_size",
        says="Your units are rectified (ReLU). The formula has tanh, which also keeps the state from growing step by "
        "step.",
    ),
    Misconception(
        "step_without_tanh",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return from_input + from_past + b",
        caught_by="steps_of_any_size",
        says="Your step has no tanh. A network of sums alone is one big sum, however many steps it takes.",
    ),
    Misconception(
        "past_forgotten",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input + b)",
        caught_by="steps_of_any_size",
        says="Your new state does not depend on the old one. Without that there is no memory, and nothing recurrent.",
    ),
    Misconception(
        "input_ignored",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_past + b)",
        caught_by="steps_of_any_size",
        says="Your new state does not depend on the input of this step.",
    ),
    Misconception(
        "past_without_W_h",
        "rnn_step",
        old="from_past = h_prev @ W_h.T",
        new="from_past = h_prev",
        caught_by="steps_of_any_size",
        says="Your old state is added as it is. W_h decides which unit listens to which.",
    ),
    Misconception(
        "state_adds_up",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return h_prev + np.tanh(from_input + from_past + b)",
        caught_by="steps_of_any_size",
        says="Your old state is added to the new one once more, as a residual connection would. In an Elman network "
        "the past comes in through W_h alone.",
    ),
    Misconception(
        "past_times_input",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input * from_past + b)",
        caught_by="steps_of_any_size",
        says="Your two products are multiplied with each other. They are added in the formula.",
    ),
    Misconception(
        "bias_subtracted",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(from_input + from_past - b)",
        caught_by="steps_of_any_size",
        says="Your bias is subtracted. It is added in the formula.",
    ),
    Misconception(
        "tanh_twice",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="return np.tanh(np.tanh(from_input + from_past + b))",
        caught_by="steps_of_any_size",
        says="Your sum goes through the tanh twice. Whoever passes the old state in has taken its tanh already, and "
        "the new one needs one.",
    ),
    Misconception(
        "old_state_squashed_again",
        "rnn_step",
        old="from_past = h_prev @ W_h.T",
        new="from_past = np.tanh(h_prev) @ W_h.T",
        caught_by="steps_of_any_size",
        says="Your old state goes through a tanh before it is used. It is a finished state already.",
    ),
    Misconception(
        "step_in_place",
        "rnn_step",
        old="return np.tanh(from_input + from_past + b)",
        new="h_prev[...] = np.tanh(from_input + from_past + b)\n    return h_prev",
        caught_by="a_step_leaves_the_old_state_alone",
        says="Your new state is written over the old one. The caller loses it, and in a list of states all entries "
        "become the same array.",
    ),
)

FORWARD = (
    Misconception(
        "starts_from_zeros",
        "rnn_forward",
        old="h = h0\n    states = []",
        new="h = np.zeros_like(h0)\n    states = []",
        caught_by="sequences_of_any_size",
        says="Your network starts from a state of zeros. The caller says where it starts: h0 may be what an encoder "
        "read, or where the text before this one ended.",
    ),
    Misconception(
        "state_never_updated",
        "rnn_forward",
        old="h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        new="states.append(rnn_step(x[:, t], h, W_x, W_h, b))",
        caught_by="sequences_of_any_size",
        says="Your every step starts from h0 again. Each has to start from the state of the step before, or nothing is "
        "remembered.",
    ),
    Misconception(
        "only_last_state",
        "rnn_forward",
        old="return np.stack(states, axis=1)",
        new="return h",
        caught_by="sequences_of_any_size",
        says="Your function returns the last state alone. All states are asked for, as predictions are made at every "
        "step.",
    ),
    Misconception(
        "h0_among_the_states",
        "rnn_forward",
        old="states = []\n    for t in range(x.shape[1]):",
        new="states = [h0]\n    for t in range(x.shape[1]):",
        caught_by="sequences_of_any_size",
        says="Your states begin with h0, so there is one too many. The first state to return is the one after the "
        "first step.",
    ),
    Misconception(
        "states_before_each_step",
        "rnn_forward",
        old="h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        new="states.append(h)\n        h = rnn_step(x[:, t], h, W_x, W_h, b)",
        caught_by="sequences_of_any_size",
        says="Your states are those before each step: h0 comes first, and the last one is missing. Then a prediction "
        "does not know the token that was just read.",
    ),
    Misconception(
        "reads_backwards",
        "rnn_forward",
        old="for t in range(x.shape[1]):",
        new="for t in reversed(range(x.shape[1])):",
        caught_by="sequences_of_any_size",
        says="Your network reads the sequence from its end.",
    ),
    Misconception(
        "reads_backwards_and_turns_round",
        "rnn_forward",
        old="        states.append(h)\n    return np.stack(states, axis=1)",
        new="        states.append(h)\n    h, states = h0, []\n    for t in reversed(range(x.shape[1])):\n"
        "        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.insert(0, h)\n    return np.stack(states, axis=1)",
        caught_by="the_past_does_not_know_the_future",
        says="Your states are those of a network that reads from the end to the beginning, so every state knows what "
        "is still to come.",
    ),
    Misconception(
        "returns_time_first",
        "rnn_forward",
        old="return np.stack(states, axis=1)",
        new="return np.stack(states)",
        caught_by="sequences_of_any_size",
        says="Your result has time first and batch second. Arrays are batch-first here: (batch, time, hidden).",
    ),
    Misconception(
        "states_joined_not_stacked",
        "rnn_forward",
        old="return np.stack(states, axis=1)",
        new="return np.concatenate(states, axis=1)",
        caught_by="sequences_of_any_size",
        says="Your states are joined to one long row for each sequence. Time needs an axis of its own.",
    ),
    Misconception(
        "loops_over_the_batch",
        "rnn_forward",
        old="    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n"
        "    return np.stack(states, axis=1)",
        new="    for t in range(x.shape[0]):\n        h = rnn_step(x[t], h, W_x, W_h, b)\n        states.append(h)\n"
        "    return np.stack(states)",
        caught_by="batch_and_time_of_equal_size",
        says="Your loop goes over the first axis, which is the batch, as if it were time: the state of one sequence "
        "is handed on to another one.",
    ),
    Misconception(
        "state_leaks_between_sequences",
        "rnn_forward",
        old="    return np.stack(states, axis=1)",
        new="    out, h = np.empty((*x.shape[:2], len(b))), h0[:1]\n    for row in range(len(x)):\n"
        "        for t in range(x.shape[1]):\n            h = rnn_step(x[row : row + 1, t], h, W_x, W_h, b)\n"
        "            out[row, t] = h[0]\n    return out",
        caught_by="sequences_do_not_mix",
        says="Your second sequence starts where the first one ended. The sequences of a batch have nothing to do with "
        "each other, and each has its own row of h0.",
    ),
    Misconception(
        "first_h0_for_all",
        "rnn_forward",
        old="h = h0\n    states = []",
        new="h = np.broadcast_to(h0[0], h0.shape)\n    states = []",
        caught_by="sequences_do_not_mix",
        says="Your sequences all start from the first row of h0. Each has a row of its own.",
    ),
    Misconception(
        "first_input_at_every_step",
        "rnn_forward",
        old="h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)",
        new="h = rnn_step(x[:, 0], h, W_x, W_h, b)\n        states.append(h)",
        caught_by="sequences_of_any_size",
        says="Your every step reads the first input again.",
    ),
    Misconception(
        "states_share_one_array",
        "rnn_forward",
        old="h = h0\n    states = []\n    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)",
        new="h = h0.copy()\n    states = []\n    for t in range(x.shape[1]):\n        h[:] = rnn_step(x[:, t], h, W_x, W_h, b)",
        caught_by="sequences_of_any_size",
        says="Your states are all the same array, which every step writes over, so in the end each of them is the last. "
        "Put a copy, or a new array, into your list.",
    ),
    Misconception(
        "last_step_left_out",
        "rnn_forward",
        old="    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        new="    states = [np.zeros(h0.shape) for _ in range(x.shape[1])]\n    for t in range(x.shape[1] - 1):\n"
        "        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states[t] = h\n",
        caught_by="one_step_only",
        says="Your loop stops one step early, so the last state stays zero.",
    ),
    Misconception(
        "first_step_left_out",
        "rnn_forward",
        old="    for t in range(x.shape[1]):\n        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states.append(h)\n",
        new="    states = [np.zeros(h0.shape) for _ in range(x.shape[1])]\n    for t in range(1, x.shape[1]):\n"
        "        h = rnn_step(x[:, t], h, W_x, W_h, b)\n        states[t] = h\n",
        caught_by="one_step_only",
        says="Your loop starts at the second step, so the first state stays zero and the first input is never read.",
    ),
    Misconception(
        "states_summed_up",
        "rnn_forward",
        old="return np.stack(states, axis=1)",
        new="return np.cumsum(np.stack(states, axis=1), axis=1)",
        caught_by="sequences_of_any_size",
        says="Your states are added up along time. A state already holds what is remembered of the earlier ones.",
    ),
    Misconception(
        "h0_written_over",
        "rnn_forward",
        old="        states.append(h)\n    return np.stack(states, axis=1)",
        new="        states.append(h)\n    h0[...] = h\n    return np.stack(states, axis=1)",
        caught_by="reading_leaves_its_inputs_alone",
        says="Your last state is written into the caller's h0. The states are right, but whoever starts from the same "
        "h0 again does not start from the same state.",
    ),
)

OUTPUT = (
    Misconception(
        "output_without_bias",
        "output_probs",
        old="logits = h @ W_y.T + b_y",
        new="logits = h @ W_y.T",
        caught_by="probabilities_of_any_shape",
        says="Your logits have no bias. It is what lets the model know that some tokens are frequent, whatever the "
        "state.",
    ),
    Misconception(
        "returns_logits",
        "output_probs",
        old="return softmax(logits, axis=-1)",
        new="return logits",
        caught_by="probabilities_of_any_shape",
        says="Your result holds logits. They become probabilities by the softmax.",
    ),
    Misconception(
        "softmax_over_time",
        "output_probs",
        old="return softmax(logits, axis=-1)",
        new="return softmax(logits, axis=max(logits.ndim - 2, 0))",
        caught_by="each_step_has_a_distribution",
        says="Your probabilities sum to one over the steps. At each step it is the tokens that compete.",
    ),
    Misconception(
        "softmax_over_batch",
        "output_probs",
        old="return softmax(logits, axis=-1)",
        new="return softmax(logits, axis=0)",
        caught_by="each_step_has_a_distribution",
        says="Your probabilities sum to one over the first axis, the sequences of the batch. At each step of each "
        "sequence it is the tokens that compete.",
    ),
    Misconception(
        "sigmoid_for_softmax",
        "output_probs",
        old="return softmax(logits, axis=-1)",
        new="return 1.0 / (1.0 + np.exp(-logits))",
        caught_by="probabilities_of_any_shape",
        says="Your tokens each get a probability of their own, by a sigmoid. Exactly one token comes next, so they have "
        "to share a total of one.",
    ),
    Misconception(
        "W_y_transposed",
        "output_probs",
        old="logits = h @ W_y.T + b_y",
        new="logits = h @ W_y + b_y",
        caught_by="as_many_tokens_as_units",
        says="Your W_y works transposed. It is laid out (vocab, hidden), so its last axis meets the units.",
    ),
    Misconception(
        "W_y_from_the_left",
        "output_probs",
        old="logits = h @ W_y.T + b_y",
        new="logits = W_y @ h + b_y",
        caught_by="probabilities_of_any_shape",
        says="Your product has the matrix on the left, as the formula does. That works for a single state; of many, the "
        "units stand in the last axis.",
    ),
    Misconception(
        "softmax_twice",
        "output_probs",
        old="return softmax(logits, axis=-1)",
        new="return softmax(softmax(logits, axis=-1), axis=-1)",
        caught_by="probabilities_of_any_shape",
        says="Your softmax is taken of a softmax. The first gives probabilities already, and the second makes them "
        "nearly equal.",
    ),
    Misconception(
        "bias_after_softmax",
        "output_probs",
        old="    logits = h @ W_y.T + b_y\n    return softmax(logits, axis=-1)",
        new="    logits = h @ W_y.T\n    return softmax(logits, axis=-1) + b_y",
        caught_by="each_step_has_a_distribution",
        says="Your bias is added to the probabilities, which then sum to anything. It belongs to the logits.",
    ),
    Misconception(
        "tanh_before_softmax",
        "output_probs",
        old="logits = h @ W_y.T + b_y",
        new="logits = np.tanh(h @ W_y.T + b_y)",
        caught_by="probabilities_of_any_shape",
        says="Your logits go through a tanh. Between -1 and 1 they can never make a model sure of anything: no token "
        "gets more than e² = 7.4 times as much as another.",
    ),
    Misconception(
        "state_squashed_before_output",
        "output_probs",
        old="logits = h @ W_y.T + b_y",
        new="logits = np.tanh(h) @ W_y.T + b_y",
        caught_by="probabilities_of_any_shape",
        says="Your state goes through a tanh once more. What is passed in is a finished state.",
    ),
    Misconception(
        "output_overflows",
        "output_probs",
        old="return softmax(logits, axis=-1)",
        new="raised_logits = np.exp(logits)\n    return raised_logits / raised_logits.sum(axis=-1, keepdims=True)",
        caught_by="large_logits_do_not_overflow",
        says="Your exponential overflows where logits are large. You have written a softmax that does not; use it here.",
    ),
    Misconception(
        "output_log_probs",
        "output_probs",
        old="return softmax(logits, axis=-1)",
        new="return np.log(softmax(logits, axis=-1))",
        caught_by="probabilities_of_any_shape",
        says="Your result holds logarithms of probabilities. The probabilities themselves are asked for.",
    ),
    Misconception(
        "output_of_last_state_only",
        "output_probs",
        old="    logits = h @ W_y.T + b_y\n    return softmax(logits, axis=-1)",
        new="    logits = (h[..., -1, :] if h.ndim == 3 else h) @ W_y.T + b_y\n    return softmax(logits, axis=-1)",
        caught_by="probabilities_of_any_shape",
        says="Your function predicts from the last state of each sequence. Every state makes a prediction.",
    ),
    Misconception(
        "output_one_hot",
        "output_probs",
        old="return softmax(logits, axis=-1)",
        new="return (logits == logits.max(axis=-1, keepdims=True)).astype(float)",
        caught_by="probabilities_of_any_shape",
        says="Your best token gets everything. A softmax leaves a share to all the others, and that is what the loss "
        "learns from.",
    ),
)

LOSS = (
    Misconception(
        "mean_over_filler",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(-counted.sum() / mask.size)",
        caught_by="every_real_target_counts_the_same",
        says="Your sum over the real targets is divided by the number of all places, filler included. The more filler "
        "there is in a batch, the better your loss looks.",
    ),
    Misconception(
        "mask_ignored",
        "next_token_loss",
        old="counted = of_targets[mask]",
        new="counted = of_targets",
        caught_by="what_stands_at_filler_is_ignored",
        says="Your loss counts the filler, too. The model then learns to predict filler, and the number says little "
        "about text.",
    ),
    Misconception(
        "mask_inverted",
        "next_token_loss",
        old="counted = of_targets[mask]",
        new="counted = of_targets[~mask]",
        caught_by="every_real_target_counts_the_same",
        says="Your loss is that of the filler. True in the mask means that a target counts.",
    ),
    Misconception(
        "loss_summed",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(-counted.sum())",
        caught_by="losses_without_filler",
        says="Your loss is a sum. It grows with the length of the text and the size of the batch, so two losses cannot "
        "be compared.",
    ),
    Misconception(
        "mean_of_row_means",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="rows = mask.any(axis=1)\n    sums = (of_targets * mask).sum(axis=1)[rows]\n"
        "    return float(-(sums / mask.sum(axis=1)[rows]).mean())",
        caught_by="every_real_target_counts_the_same",
        says="Your loss is a mean of the sequences' means. A target of a short sequence then counts for more than one "
        "of a long sequence; every real target should count the same.",
    ),
    Misconception(
        "sum_over_time_mean_over_batch",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(-counted.sum() / len(mask))",
        caught_by="losses_without_filler",
        says="Your sum is divided by the number of sequences. What is asked for is the mean per target.",
    ),
    Misconception(
        "mean_over_batch_sum_over_rows",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(-counted.sum() / mask.shape[1])",
        caught_by="losses_without_filler",
        says="Your sum is divided by the number of steps. What is asked for is the mean per target, over the whole "
        "batch.",
    ),
    Misconception(
        "divided_by_vocab_too",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(-counted.mean() / logits.shape[-1])",
        caught_by="losses_without_filler",
        says="Your mean also runs over the vocabulary, most of which is zero in a one-hot product. A target is one "
        "number, not as many as there are tokens.",
    ),
    Misconception(
        "double_softmax",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = _log_softmax(softmax(logits))",
        caught_by="losses_without_filler",
        says="Your softmax is taken of a softmax. The logits are passed in as they are, so one is enough; a second one "
        "makes all tokens look nearly equal, and the loss can never come close to zero.",
    ),
    Misconception(
        "logits_as_probabilities",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = np.log(np.maximum(logits, 1e-12))",
        caught_by="losses_without_filler",
        says="Your logarithm is taken of the logits. They are scores of any sign, and become probabilities by a softmax "
        "only.",
    ),
    Misconception(
        "logits_summed_as_log_probs",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = logits",
        caught_by="losses_without_filler",
        says="Your loss takes logits for log-probabilities. They still have to be normalised: without the other tokens "
        "there is nothing to be more likely than.",
    ),
    Misconception(
        "log_of_softmax",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = np.log(softmax(logits))",
        caught_by="unlikely_targets_cost_what_they_cost",
        says="Your softmax comes first and the logarithm after it. Where a target is very unlikely, its probability "
        "becomes zero on the way and the loss infinite. Take the logarithm of the formula on paper first.",
    ),
    *(
        Misconception(
            f"log_of_probability_plus_{epsilon.replace('-', '_minus_')}",
            "next_token_loss",
            old="log_probs = _log_softmax(logits)",
            new=f"log_probs = np.log(softmax(logits) + {epsilon})",
            caught_by="unlikely_targets_cost_what_they_cost",
            says="Your tiny constant inside the logarithm keeps the loss finite, but makes it wrong: no target can cost "
            "more than minus the logarithm of the constant, and from there no gradient comes back.",
        )
        for epsilon in ("1e-8", "1e-9", "1e-10", "1e-12")
    ),
    Misconception(
        "log_of_clipped_probability",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = np.log(np.clip(softmax(logits), 1e-7, 1.0))",
        caught_by="unlikely_targets_cost_what_they_cost",
        says="Your probabilities are clipped before the logarithm. No target can then cost more than minus "
        "the logarithm of the limit, and from there no gradient comes back.",
    ),
    Misconception(
        "loss_overflows",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))",
        caught_by="unlikely_targets_cost_what_they_cost",
        says="Your formula is right, but the exponential overflows where logits are large. Take a constant off the "
        "logits first, as in the softmax.",
    ),
    Misconception(
        "loss_in_bits",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = _log_softmax(logits) / np.log(2)",
        caught_by="losses_without_filler",
        says="Your loss is in bits. Losses are in nats here, by the natural logarithm.",
    ),
    Misconception(
        "loss_without_sign",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(counted.mean())",
        caught_by="losses_without_filler",
        says="Your loss is negative. Logarithms of probabilities are, and a loss is what should become smaller as the "
        "model gets better.",
    ),
    Misconception(
        "loss_without_logarithm",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(1.0 - np.exp(counted).mean())",
        caught_by="losses_without_filler",
        says="Your loss is one minus the probability of the target. Without the logarithm, being sure and wrong costs "
        "hardly more than being unsure.",
    ),
    Misconception(
        "probability_for_log_probability",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(-np.exp(counted).mean())",
        caught_by="losses_without_filler",
        says="Your loss is the negative probability of the target. Its logarithm is missing.",
    ),
    Misconception(
        "logarithm_of_mean_probability",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(-np.log(np.exp(counted).mean()))",
        caught_by="losses_without_filler",
        says="Your probabilities are averaged first, and the logarithm is taken of their mean. The formula has the mean "
        "of the negative logarithms, which is never smaller.",
    ),
    Misconception(
        "shifted_twice",
        "next_token_loss",
        old="counted = of_targets[mask]",
        new="shifted_too = np.take_along_axis(log_probs[:, :-1], targets[:, 1:, None], axis=-1)[..., 0]\n"
        "    counted = shifted_too[mask[:, 1:]]",
        caught_by="losses_without_filler",
        says="Your targets are shifted once more. They were shifted before they got here: targets[:, t] is what "
        "logits[:, t] has to predict.",
    ),
    Misconception(
        "best_token_for_target",
        "next_token_loss",
        old="counted = of_targets[mask]",
        new="counted = log_probs.max(axis=-1)[mask]",
        caught_by="losses_without_filler",
        says="Your loss is that of the model's favourite token. It has to be that of the right one, whatever the model "
        "thinks.",
    ),
    Misconception(
        "loss_softmax_over_time",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = np.swapaxes(_log_softmax(np.swapaxes(logits, 1, 2)), 1, 2)",
        caught_by="losses_without_filler",
        says="Your probabilities sum to one over the steps. At each step it is the tokens that compete.",
    ),
    Misconception(
        "mask_on_logits",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="log_probs = _log_softmax(logits * mask[..., None])\n    mask = np.ones_like(mask)",
        caught_by="every_real_target_counts_the_same",
        says="Your mask is multiplied into the logits. Logits of zero are a prediction like any other (all tokens "
        "equally likely), and still cost their ln(vocab) each.",
    ),
    Misconception(
        "binary_cross_entropy",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="gap = np.log1p(-np.minimum(softmax(logits), 1 - 1e-12))\n"
        "    others = gap.sum(axis=-1) - np.take_along_axis(gap, targets[..., None], axis=-1)[..., 0]\n"
        "    return float(-(counted + others[mask]).mean())",
        caught_by="losses_without_filler",
        says="Your loss adds ln(1 - p) of all the other tokens, as for labels that exclude nothing. Since probabilities "
        "share a total of one, raising that of the target lowers the others already.",
    ),
    Misconception(
        "squared_error",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="missed = softmax(logits) - np.eye(logits.shape[-1])[targets]\n"
        "    return float((missed**2).sum(axis=-1)[mask].mean())",
        caught_by="losses_without_filler",
        says="Your loss is the squared distance between probabilities and the one-hot target. What is asked for is the "
        "negative logarithm of one probability.",
    ),
    Misconception(
        "loss_of_last_step",
        "next_token_loss",
        old="counted = of_targets[mask]",
        new="counted = of_targets[:, -1:][mask[:, -1:]] if mask[:, -1].any() else of_targets[mask][-1:]",
        caught_by="losses_without_filler",
        says="Your loss looks at the last step alone. Every step makes a prediction, and every one is something to "
        "learn from.",
    ),
    Misconception(
        "loss_per_target",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return -counted",
        caught_by="losses_without_filler",
        says="Your function returns the loss of every target. One number is asked for, their mean.",
    ),
    Misconception(
        "perplexity_for_loss",
        "next_token_loss",
        old="return float(-counted.mean())",
        new="return float(np.exp(-counted.mean()))",
        caught_by="losses_without_filler",
        says="Your result is the perplexity. The loss is the mean itself, without the exponential.",
    ),
    Misconception(
        "loss_in_place",
        "next_token_loss",
        old="log_probs = _log_softmax(logits)",
        new="logits[...] = _log_softmax(logits)\n    log_probs = logits",
        caught_by="a_loss_leaves_its_inputs_alone",
        says="Your logarithms are written into the caller's logits. The loss is right, but whoever reads the "
        "logits afterwards finds other numbers.",
    ),
)

LOG_PROB = (
    Misconception(
        "mean_for_sum",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return chosen.mean(axis=-1)",
        caught_by="log_probs_of_any_shape",
        says="Your logarithms are averaged. The probability of a sequence is a product of all its factors, and its "
        "logarithm a sum.",
    ),
    Misconception(
        "product_underflows",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return np.log(np.exp(chosen).prod(axis=-1))",
        caught_by="long_texts_do_not_underflow",
        says="Your probabilities are multiplied before the logarithm is taken. For a long text their product is zero to "
        "a computer; add logarithms instead.",
    ),
    Misconception(
        "product_of_logarithms",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return chosen.prod(axis=-1)",
        caught_by="log_probs_of_any_shape",
        says="Your logarithms are multiplied. A product of probabilities becomes a sum of logarithms.",
    ),
    Misconception(
        "probability_of_sequence",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return np.exp(chosen.sum(axis=-1))",
        caught_by="log_probs_of_any_shape",
        says="Your result is the probability itself. Its logarithm is asked for, which is still a number where the "
        "probability is too small to be one.",
    ),
    Misconception(
        "negative_log_prob",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return -chosen.sum(axis=-1)",
        caught_by="log_probs_of_any_shape",
        says="Your result is positive: it is the negative logarithm, which is the cost of the sequence. The logarithm "
        "of a probability is never above zero.",
    ),
    Misconception(
        "logits_not_normalised",
        "sequence_log_prob",
        old="scores = _log_softmax(logits)",
        new="scores = logits",
        caught_by="log_probs_of_any_shape",
        says="Your sum is one of logits. They are no logarithms of probabilities until the softmax has normalised "
        "them.",
    ),
    Misconception(
        "one_number_for_the_batch",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return chosen.sum()",
        caught_by="log_probs_of_any_shape",
        says="Your sum runs over the whole batch. Each sequence has a probability of its own.",
    ),
    Misconception(
        "sum_over_sequences",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return chosen.sum(axis=0)",
        caught_by="log_probs_of_any_shape",
        says="Your sum runs over the first axis, which is the batch where there is one. Time is the last axis of ids.",
    ),
    Misconception(
        "likeliest_path",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return scores.max(axis=-1).sum(axis=-1)",
        caught_by="log_probs_of_any_shape",
        says="Your result is that of the likeliest tokens. The sequence that is passed in is the one to judge.",
    ),
    Misconception(
        "log_prob_underflows",
        "sequence_log_prob",
        old="scores = _log_softmax(logits)",
        new="scores = np.log(softmax(logits))",
        caught_by="near_impossible_tokens",
        says="Your softmax comes first and the logarithm after it. A token hundreds of nats below the best one gets a "
        "probability of zero on the way, and the sequence is called impossible.",
    ),
    Misconception(
        "log_prob_overflows",
        "sequence_log_prob",
        old="scores = _log_softmax(logits)",
        new="scores = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))",
        caught_by="near_impossible_tokens",
        says="Your formula is right, but the exponential overflows where logits are large. Take a constant off the "
        "logits first, as in the softmax.",
    ),
    Misconception(
        "log_prob_with_epsilon",
        "sequence_log_prob",
        old="scores = _log_softmax(logits)",
        new="scores = np.log(softmax(logits) + 1e-12)",
        caught_by="near_impossible_tokens",
        says="Your tiny constant inside the logarithm makes unlikely tokens likelier than they are. Take the logarithm "
        "of the softmax formula on paper first.",
    ),
    Misconception(
        "ids_shifted_in_log_prob",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="moved = np.take_along_axis(scores[..., :-1, :], ids[..., 1:, None], axis=-1)[..., 0]\n"
        "    return moved.sum(axis=-1)",
        caught_by="log_probs_of_any_shape",
        says="Your ids are shifted against the logits. They fit as they are: logits[..., t, :] predicts ids[..., t].",
    ),
    Misconception(
        "first_token_left_out",
        "sequence_log_prob",
        old="return chosen.sum(axis=-1)",
        new="return chosen[..., 1:].sum(axis=-1)",
        caught_by="log_probs_of_any_shape",
        says="Your sum leaves out the first token. It has a prediction as well, and a probability.",
    ),
    Misconception(
        "log_prob_in_bits",
        "sequence_log_prob",
        old="scores = _log_softmax(logits)",
        new="scores = _log_softmax(logits) / np.log(2)",
        caught_by="log_probs_of_any_shape",
        says="Your logarithm is to the base 2. It is the natural one here.",
    ),
    Misconception(
        "log_prob_in_place",
        "sequence_log_prob",
        old="scores = _log_softmax(logits)",
        new="logits[...] = _log_softmax(logits)\n    scores = logits",
        caught_by="log_probs_leave_their_inputs_alone",
        says="Your logarithms are written into the caller's logits.",
    ),
)

PERPLEXITY = (
    Misconception(
        "two_to_the_nats",
        "perplexity",
        old="return np.exp(per_token)",
        new="return 2.0**per_token",
        caught_by="equally_likely_tokens",
        says="Your base is 2 while the loss is in nats. Base and logarithm have to belong together: with nats it is e.",
    ),
    Misconception(
        "perplexity_of_total",
        "perplexity",
        old="per_token = np.sum(nll) / np.sum(n)",
        new="per_token = np.sum(nll)",
        caught_by="equally_likely_tokens",
        says="Your exponential is taken of the total, not of the mean per token, so it explodes with the length of the "
        "text.",
    ),
    Misconception(
        "mean_of_perplexities",
        "perplexity",
        old="return np.exp(per_token)",
        new="return float(np.mean(np.exp(np.asarray(nll) / n)))",
        caught_by="perplexity_of_a_collection",
        says="Your result is the mean of the texts' perplexities, in which one odd short text outweighs all others. "
        "Add up first: all nats, all tokens, then one exponential.",
    ),
    Misconception(
        "perplexity_of_mean_of_means",
        "perplexity",
        old="per_token = np.sum(nll) / np.sum(n)",
        new="per_token = np.mean(np.asarray(nll) / n)",
        caught_by="perplexity_of_a_collection",
        says="Your result averages the texts' means, so a token of a short text counts for more than one of a long "
        "text.",
    ),
    Misconception(
        "one_perplexity_per_text",
        "perplexity",
        old="per_token = np.sum(nll) / np.sum(n)",
        new="per_token = np.asarray(nll) / n",
        caught_by="perplexity_of_a_collection",
        says="Your result has one perplexity for each text. One number for all of them together is asked for.",
    ),
    Misconception(
        "inverse_perplexity",
        "perplexity",
        old="return np.exp(per_token)",
        new="return np.exp(-per_token)",
        caught_by="equally_likely_tokens",
        says="Your result is below one: it is the mean probability of a token (the geometric one). The perplexity is "
        "its inverse.",
    ),
    Misconception(
        "perplexity_is_the_loss",
        "perplexity",
        old="return np.exp(per_token)",
        new="return per_token",
        caught_by="equally_likely_tokens",
        says="Your result is the mean loss. Its exponential turns nats into a number of tokens.",
    ),
    Misconception(
        "perplexity_root_of_loss",
        "perplexity",
        old="return np.exp(per_token)",
        new="return float(np.sum(nll) ** (1.0 / np.sum(n)))",
        caught_by="equally_likely_tokens",
        says="Your root is taken of the loss. The n-th root in the textbooks is one of the inverse probability of "
        "the text; where there is its logarithm, a root becomes a division by n.",
    ),
    Misconception(
        "perplexity_of_n_plus_one",
        "perplexity",
        old="per_token = np.sum(nll) / np.sum(n)",
        new="per_token = np.sum(nll) / (np.sum(n) - 1)",
        caught_by="perplexity_of_a_collection",
        says="Your divisor is one less than the number of tokens. n counts the tokens that were predicted already.",
    ),
    Misconception(
        "perplexity_in_place",
        "perplexity",
        old="per_token = np.sum(nll) / np.sum(n)",
        new="nll /= np.sum(n)\n    per_token = np.sum(nll)",
        caught_by="perplexity_leaves_its_inputs_alone",
        says="Your division is written into the caller's array.",
    ),
)

BITS = (
    Misconception(
        "nats_for_bits",
        "bits_per_char",
        old="return nats / np.log(2)",
        new="return nats",
        caught_by="coins_cost_a_bit",
        says="Your result is in nats. A choice between two equally likely characters is one bit, but only .693 nats.",
    ),
    Misconception(
        "bits_times_log_two",
        "bits_per_char",
        old="return nats / np.log(2)",
        new="return nats * np.log(2)",
        caught_by="coins_cost_a_bit",
        says="Your conversion goes the wrong way. A bit is the smaller unit, so the same surprise is more bits than "
        "nats.",
    ),
    Misconception(
        "bits_in_total",
        "bits_per_char",
        old="nats = np.sum(nll) / np.sum(n)",
        new="nats = np.sum(nll)",
        caught_by="coins_cost_a_bit",
        says="Your result is the cost of the whole text. Per character is asked for.",
    ),
    Misconception(
        "bits_by_decimal_logarithm",
        "bits_per_char",
        old="return nats / np.log(2)",
        new="return nats / np.log10(2)",
        caught_by="coins_cost_a_bit",
        says="Your conversion uses the decimal logarithm of 2. The loss is in nats, so it is the natural one.",
    ),
    Misconception(
        "logarithm_of_nats",
        "bits_per_char",
        old="return nats / np.log(2)",
        new="return np.log2(nats)",
        caught_by="coins_cost_a_bit",
        says="Your logarithm is taken of the loss. The loss is a logarithm already, and only changes its base.",
    ),
    Misconception(
        "bits_from_perplexity",
        "bits_per_char",
        old="return nats / np.log(2)",
        new="return 2.0**nats",
        caught_by="coins_cost_a_bit",
        says="Your result is a power of two, as if a perplexity were asked for.",
    ),
    Misconception(
        "bits_mean_of_means",
        "bits_per_char",
        old="nats = np.sum(nll) / np.sum(n)",
        new="nats = np.mean(np.asarray(nll) / n)",
        caught_by="bits_of_a_collection",
        says="Your result averages the texts' means, so a character of a short text counts for more than one of a long "
        "text.",
    ),
    Misconception(
        "one_number_of_bits_per_text",
        "bits_per_char",
        old="nats = np.sum(nll) / np.sum(n)",
        new="nats = np.asarray(nll) / n",
        caught_by="bits_of_a_collection",
        says="Your result has one number for each text. One for all of them together is asked for.",
    ),
    Misconception(
        "bits_in_place",
        "bits_per_char",
        old="nats = np.sum(nll) / np.sum(n)",
        new="nll /= np.sum(n)\n    nats = np.sum(nll)",
        caught_by="bits_leave_their_inputs_alone",
        says="Your division is written into the caller's array.",
    ),
)

CLASSIFY = (
    Misconception(
        "last_column_for_all",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states[:, -1]",
        caught_by="each_row_ends_where_it_ends",
        says="Your every row is judged at the last step of the array. In a shorter sequence the network has been "
        "reading filler by then, and its state has changed.",
    ),
    Misconception(
        "one_step_too_far",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states[rows, np.minimum(lengths, states.shape[1] - 1)]",
        caught_by="filler_is_ignored",
        says="Your rows are judged one step too late, at the first filler. Steps are counted from 0, so the last of "
        "three is number 2.",
    ),
    Misconception(
        "length_as_index",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states[rows, lengths]",
        caught_by="all_rows_are_full",
        says="Your index of the last step is the length. Steps are counted from 0, so a full row has no such step.",
    ),
    Misconception(
        "one_step_too_early",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states[rows, np.maximum(lengths - 2, 0)]",
        caught_by="each_row_ends_where_it_ends",
        says="Your rows are judged one step too early, before their last step is read.",
    ),
    Misconception(
        "longest_length_for_all",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states[:, lengths.max() - 1]",
        caught_by="each_row_ends_where_it_ends",
        says="Your rows are all judged where the longest of them ends. Each has a length of its own.",
    ),
    Misconception(
        "shortest_length_for_all",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states[:, lengths.min() - 1]",
        caught_by="each_row_ends_where_it_ends",
        says="Your rows are all judged where the shortest of them ends, so longer ones are not read to their ends.",
    ),
    Misconception(
        "mean_over_steps",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states.mean(axis=1)",
        caught_by="each_row_ends_where_it_ends",
        says="Your prediction is made from the mean of all states, filler included. The last real one is asked for.",
    ),
    Misconception(
        "mean_over_real_steps",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="real = (np.arange(states.shape[1]) < lengths[:, None])[..., None]\n"
        "    last = (states * real).sum(axis=1) / lengths[:, None]",
        caught_by="each_row_ends_where_it_ends",
        says="Your prediction is made from the mean of the real states. That is a good idea too, called mean pooling, "
        "but here it is the last real state that is asked for.",
    ),
    Misconception(
        "maximum_over_steps",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states.max(axis=1)",
        caught_by="each_row_ends_where_it_ends",
        says="Your prediction is made from each unit's largest value over time. The last real state is asked for.",
    ),
    Misconception(
        "first_state_classified",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states[:, 0]",
        caught_by="each_row_ends_where_it_ends",
        says="Your prediction is made from the first state, which has seen one step only.",
    ),
    Misconception(
        "every_length_for_every_row",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states[:, lengths - 1]",
        caught_by="each_row_ends_where_it_ends",
        says="Your index picks every length in every row. Each row goes with its own length, which takes an index for "
        "rows as well.",
    ),
    Misconception(
        "classify_starts_from_zeros",
        "classify_sequence",
        old='states = rnn_forward(x, h0, params["W_x"]',
        new='states = rnn_forward(x, np.zeros_like(h0), params["W_x"]',
        caught_by="each_row_ends_where_it_ends",
        says="Your network starts from a state of zeros instead of h0.",
    ),
    Misconception(
        "classify_returns_logits",
        "classify_sequence",
        old='return output_probs(last, params["W_y"], params["b_y"])',
        new='return last @ params["W_y"].T + params["b_y"]',
        caught_by="each_row_ends_where_it_ends",
        says="Your result holds logits. The softmax that turns them into probabilities is missing.",
    ),
    Misconception(
        "classify_returns_classes",
        "classify_sequence",
        old='return output_probs(last, params["W_y"], params["b_y"])',
        new='return output_probs(last, params["W_y"], params["b_y"]).argmax(axis=-1)',
        caught_by="each_row_ends_where_it_ends",
        says="Your result holds the likeliest classes. All the probabilities are asked for.",
    ),
    Misconception(
        "classify_every_step",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="last = states",
        caught_by="each_row_ends_where_it_ends",
        says="Your network predicts at every step. From many steps to one answer, only the last real state predicts.",
    ),
    Misconception(
        "filler_set_to_zero",
        "classify_sequence",
        old='    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])\n'
        "    rows = np.arange(len(lengths))\n    last = states[rows, lengths - 1]",
        new="    rows = np.arange(x.shape[1])\n    x = x * (rows < lengths[:, None])[..., None]\n"
        '    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"])\n    last = states[:, -1]',
        caught_by="each_row_ends_where_it_ends",
        says="Your filler is set to zero and then read. A step changes the state even if its input is zero, by W_h and "
        "the bias, so the state at the end is not the one after the last real step.",
    ),
    Misconception(
        "probabilities_averaged",
        "classify_sequence",
        old='    last = states[rows, lengths - 1]\n    return output_probs(last, params["W_y"], params["b_y"])',
        new="    real = (np.arange(states.shape[1]) < lengths[:, None])[..., None]\n"
        '    probs = output_probs(states, params["W_y"], params["b_y"])\n'
        "    return (probs * real).sum(axis=1) / lengths[rows, None]",
        caught_by="each_row_ends_where_it_ends",
        says="Your result is the mean of the predictions at all real steps. Only the last real step predicts.",
    ),
    Misconception(
        "lengths_written_over",
        "classify_sequence",
        old="last = states[rows, lengths - 1]",
        new="lengths -= 1\n    last = states[rows, lengths]",
        caught_by="classifying_leaves_its_inputs_alone",
        says="Your subtraction is written into the caller's lengths (`-=` does that). The probabilities are right, but "
        "the next call will find every sequence one step shorter.",
    ),
)

GENERATE = (
    Misconception(
        "greedy",
        "generate",
        old='drawn = int(np.searchsorted(cumulative, u, side="right"))',
        new="drawn = int(np.argmax(probs))",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your tokens are always the likeliest ones, whatever the uniform numbers say. Then the network has only one "
        "text to write, and mostly a dull one.",
    ),
    Misconception(
        "state_not_carried",
        "generate",
        old='h = rnn_step(one_hot, h, params["W_x"]',
        new='h = rnn_step(one_hot, h0, params["W_x"]',
        caught_by="every_token_is_drawn_as_agreed",
        says="Your every step starts from h0 again, so the network knows the last token and nothing before it.",
    ),
    Misconception(
        "token_not_fed_back",
        "generate",
        old="one_hot = np.eye(size)[token]",
        new="one_hot = np.eye(size)[first_id]",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your network reads first_id at every step. It has to read what it has just written, or it does not know "
        "what that was.",
    ),
    Misconception(
        "likeliest_token_fed_back",
        "generate",
        old="        token = min(drawn, size - 1)  # rounding may leave the last sum a hair below one\n"
        "        ids.append(token)",
        new="        ids.append(min(drawn, size - 1))\n        token = int(np.argmax(probs))",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your network reads the likeliest token while another one was written. It has to read the text that is "
        "really there.",
    ),
    Misconception(
        "probabilities_fed_back",
        "generate",
        old="one_hot = np.eye(size)[token]",
        new="one_hot = np.eye(size)[token] if not ids else probs",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your network reads the whole distribution instead of the token that was drawn. Only one token is in the "
        "text.",
    ),
    Misconception(
        "first_id_among_the_ids",
        "generate",
        old="h, token, ids = h0, first_id, []",
        new="h, token, ids = h0, first_id, [first_id]",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your result begins with first_id, so it is one too long. The tokens that were drawn are asked for.",
    ),
    Misconception(
        "first_id_for_the_last",
        "generate",
        old="return np.array(ids)",
        new="return np.array([first_id, *ids[:-1]])",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your result holds the tokens that were read: first_id, and all drawn ones but the last. The tokens that "
        "were drawn are asked for.",
    ),
    Misconception(
        "draws_before_reading",
        "generate",
        old='        h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])\n'
        '        probs = output_probs(h, params["W_y"], params["b_y"])\n',
        new='        probs = output_probs(h, params["W_y"], params["b_y"])\n'
        '        h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])\n',
        caught_by="one_token_only",
        says="Your prediction is made from the state before the token is read. First read, then predict.",
    ),
    Misconception(
        "generate_starts_from_zeros",
        "generate",
        old="h, token, ids = h0, first_id, []",
        new="h, token, ids = np.zeros_like(h0), first_id, []",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your network starts from a state of zeros instead of h0.",
    ),
    Misconception(
        "first_uniform_for_all",
        "generate",
        old="for u in uniforms[:n]:",
        new="for u in [uniforms[0]] * n:",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your every token is drawn with the first uniform number. Each has one of its own.",
    ),
    Misconception(
        "uniforms_from_the_end",
        "generate",
        old="for u in uniforms[:n]:",
        new="for u in uniforms[:n][::-1]:",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your uniform numbers are used from the last to the first. The first token takes the first of them.",
    ),
    Misconception(
        "first_sum_that_reaches_the_number",
        "generate",
        old='drawn = int(np.searchsorted(cumulative, u, side="right"))',
        new='drawn = int(np.searchsorted(cumulative, u, side="left"))',
        caught_by="impossible_tokens_are_never_written",
        says="You take the first token whose cumulative probability reaches the uniform number; it has to exceed it. With a "
        "number of 0, a first token of probability 0 would be written.",
    ),
    Misconception(
        "one_minus_uniform",
        "generate",
        old='drawn = int(np.searchsorted(cumulative, u, side="right"))',
        new='drawn = int(np.searchsorted(cumulative, 1 - u, side="right"))',
        caught_by="small_and_large_uniforms",
        says="Your tokens are drawn with 1 - u, which means counting from the other end. It is as random, but not what "
        "was agreed on: small numbers draw small ids.",
    ),
    Misconception(
        "likeliest_first",
        "generate",
        old='drawn = int(np.searchsorted(cumulative, u, side="right"))',
        new="order = np.argsort(-probs)\n"
        '        drawn = int(order[min(np.searchsorted(np.cumsum(probs[order]), u, side="right"), size - 1)])',
        caught_by="every_token_is_drawn_as_agreed",
        says="Your tokens are lined up by their probabilities, likeliest first. It is as random, but not what was "
        "agreed on: they are lined up by their ids.",
    ),
    Misconception(
        "last_below_the_uniform",
        "generate",
        old='drawn = int(np.searchsorted(cumulative, u, side="right"))',
        new='drawn = max(int(np.searchsorted(cumulative, u, side="right")) - 1, 0)',
        caught_by="every_token_is_drawn_as_agreed",
        says="Your token is the last one whose cumulative probability is still below the uniform number, one too early. "
        "It is the first one that exceeds it.",
    ),
    Misconception(
        "uniform_against_single_probabilities",
        "generate",
        old="cumulative = np.cumsum(probs)",
        new="cumulative = np.maximum.accumulate(probs)",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your uniform number is compared with single probabilities. They have to be added up first, so that each "
        "token owns a piece of the line from 0 to 1 as long as its probability.",
    ),
    Misconception(
        "all_tokens_alike",
        "generate",
        old='drawn = int(np.searchsorted(cumulative, u, side="right"))',
        new="drawn = int(u * size)",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your tokens are drawn as if all were equally likely. What the network predicts plays no part in it.",
    ),
    Misconception(
        "cumulates_logits",
        "generate",
        old="cumulative = np.cumsum(probs)",
        new='cumulative = np.cumsum(h @ params["W_y"].T + params["b_y"])',
        caught_by="every_token_is_drawn_as_agreed",
        says="Your running sum is one of logits, which may go down as well as up. Probabilities are what has to be "
        "added up.",
    ),
    Misconception(
        "row_for_column",
        "generate",
        old='h = rnn_step(one_hot, h, params["W_x"], params["W_h"], params["b"])',
        new='h = np.tanh(params["W_x"][token] + params["W_h"] @ h + params["b"])',
        caught_by="equal_sizes_hide_no_error",
        says="Your step takes a row of W_x for the token. W_x is laid out (hidden, vocab), so what a one-hot vector "
        "picks is a column.",
    ),
    Misconception(
        "id_as_number",
        "generate",
        old="one_hot = np.eye(size)[token]",
        new="one_hot = np.full(size, float(token)) / size",
        caught_by="every_token_is_drawn_as_agreed",
        says="Your network reads the id as a number. Ids are names, not quantities; token 4 is not twice token 2, which "
        "is why they go in as one-hot vectors.",
    ),
    Misconception(
        "writes_over_h0",
        "generate",
        old="return np.array(ids)",
        new="h0[...] = h\n    return np.array(ids)",
        caught_by="writing_leaves_its_inputs_alone",
        says="Your last state is written into the caller's h0. The text is right, but it cannot be written again.",
    ),
)


def _choice(name: str, question: str, right: str, chosen: str, says: str) -> Misconception:
    """Name the mistake of choosing one wrong option."""
    text = f'answers["{question}"] = '
    return Misconception(name, "quiz", f'{text}"{right}"', f'{text}"{chosen}"', caught_by=question, says=says)


QUIZ = (
    _choice(
        "recurrent_is_deep",
        "what_is_recurrent",
        "c",
        "a",
        "Your answer says deep. A network may have many layers and still forget each input before the next one comes.",
    ),
    _choice(
        "recurrent_has_weights_per_step",
        "what_is_recurrent",
        "c",
        "b",
        "Your answer has other weights at each step. Look at the figure of the unrolled network: what is written on "
        "the arrows?",
    ),
    _choice(
        "recurrent_reads_all_at_once",
        "what_is_recurrent",
        "c",
        "d",
        "Your answer describes the opposite. A recurrent network has to finish one step before it can begin the next.",
    ),
    _choice(
        "data_without_order",
        "which_data",
        "d",
        "a",
        "Your answer has data without an order. What would the network remember from one value to the next, if they "
        "could as well come in another order?",
    ),
    _choice(
        "data_of_fixed_size",
        "which_data",
        "d",
        "b",
        "Your answer has inputs of one fixed size, without a direction to read in. A network without a loop can take "
        "them in whole.",
    ),
    _choice(
        "data_already_counted",
        "which_data",
        "d",
        "c",
        "Your answer has words that were counted already, so their order is lost before the network sees them.",
    ),
    _choice(
        "W_x_grows_with_length",
        "weights_and_length",
        "a",
        "b",
        "Your answer lets W_x grow. Its shape is (hidden, input); where in it does time occur?",
    ),
    _choice(
        "W_h_grows_with_length",
        "weights_and_length",
        "a",
        "c",
        "Your answer lets W_h grow. Its shape is (hidden, hidden); where in it does time occur?",
    ),
    _choice(
        "all_weights_grow_with_length",
        "weights_and_length",
        "a",
        "d",
        "Your answer gives each step its own weights. Then the network could not read a sequence longer than those it "
        "was trained on.",
    ),
    _choice(
        "same_input_same_output",
        "same_letter",
        "b",
        "a",
        "Your answer holds for networks without memory. In the worked example, compare the two columns for l.",
    ),
    _choice(
        "second_l_has_another_id",
        "same_letter",
        "b",
        "c",
        "Your answer gives one character two ids. An id belongs to the character, wherever it stands.",
    ),
    _choice(
        "W_h_changes_over_time",
        "same_letter",
        "b",
        "d",
        "Your answer has the weights change while a text is read. They change in training only; something else is "
        "different at the second l.",
    ),
    _choice(
        "target_is_the_input",
        "shifted_targets",
        "a",
        "b",
        "Your answer would be learned by copying: the network has just read token t.",
    ),
    _choice(
        "target_is_the_past",
        "shifted_targets",
        "a",
        "c",
        "Your answer shifts the wrong way. A model that is good at naming what came before cannot write anything new.",
    ),
    _choice(
        "target_is_the_end",
        "shifted_targets",
        "a",
        "d",
        "Your answer gives all steps one target, as in classification. Here, each step predicts something of its own.",
    ),
    _choice(
        "perplexity_is_accuracy",
        "perplexity_of_four",
        "d",
        "a",
        "Your answer is about being right. A perplexity says nothing of which token comes first, only how probable the "
        "right one was.",
    ),
    _choice(
        "perplexity_is_bits",
        "perplexity_of_four",
        "d",
        "c",
        "Your answer takes the perplexity for its logarithm. How many bits does it take to choose between four?",
    ),
    _choice(
        "perplexity_is_nats",
        "perplexity_of_four",
        "d",
        "b",
        "Your answer takes the perplexity for the loss. It is the exponential of the loss.",
    ),
    _choice(
        "untrained_loss_in_bits",
        "untrained_loss",
        "c",
        "a",
        "Your answer is right in bits. The question is about nats.",
    ),
    _choice(
        "untrained_loss_is_the_probability",
        "untrained_loss",
        "c",
        "b",
        "Your answer is the probability of the target. The loss is the negative logarithm of it.",
    ),
    _choice(
        "untrained_loss_is_zero",
        "untrained_loss",
        "c",
        "d",
        "Your answer would be the loss of a model that is sure and always right. What is the negative logarithm of "
        "1/65?",
    ),
    _choice(
        "filler_says_nothing",
        "why_mask",
        "d",
        "a",
        "Your answer does not hold: to the network, filler is one more token, and very easy to predict after itself.",
    ),
    _choice(
        "filler_raises_the_loss",
        "why_mask",
        "d",
        "b",
        "Your answer is the wrong way round for a model that has learned. After filler comes more filler; how hard is "
        "that to predict?",
    ),
    _choice(
        "filler_breaks_the_softmax",
        "why_mask",
        "d",
        "c",
        "Your answer mixes up two sums. The softmax runs over the vocabulary of one step, the mean over steps.",
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
    *QUIZ,
)
