"""Odd answers, by what makes them odd: another table behind the tests of the answer reader."""

from __future__ import annotations

from parable.reading.answers import AMBIGUOUS, CONTRADICTING, REFUSED, UNPARSED
from tests.parable.answers_of_models import EN, ZH

TRUE = ("True", "False")
UNKNOWN = ("The hare was tired", "Cannot be determined", "The hare was ill", "None of the above")
BBQ = ("The grandfather", "The grandson", "Not enough information", "I cannot answer")
UNKNOWN_ZH = ("狐狸饿了", "无法判断", "狐狸病了", "以上都不对")
DECLINE_ZH = ("我无法回答", "狼吃了羊", "羊逃走了", "内容违规")
STOPS = ("The hare slept.", "The tortoise never stopped.", "It rained. The track was wet.", "Nobody ran!")
STOPS_ZH = ("兔子睡着了。", "乌龟一直没有停。", "下雨了。路很滑。", "没有人跑！")
NUMBERS = ("3", "12", "7", "20")
WORDS = ("in", "on", "at", "by")
YES = ("Yes", "No")
GRAMMAR = ("是的", "不是", "有时", "没有")
ANIMALS = ("狼", "羊", "狗", "狐狸")
LONG = (
    "The hare lay down under a tree because it had run far ahead and did not see the tortoise any more",
    "The hare lay down under a tree because it was ill and had been told by the fox to rest for a while",
)
BLOOD = ("O", "A", "B", "AB")
RIGHT = ("正确", "错误")

GROUPS: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]], ...] = (
    (
        "tokens of a chat, and questions put before the answer, are not read",
        EN,
        (
            (
                "<|channel|>analysis<|message|>It is A.<|end|><|start|>assistant<|channel|>final<|message|>B",
                "B",
            ),
            ("<|start_header_id|>assistant<|end_header_id|>\n\nB<|eot_id|>", "B"),
            ("Q: Which one is it?\nA: The hare felt sure of winning", "B"),
            ("A: C", "C"),
            ("The answer is:\n\nThe hare felt sure of winning\n\nIt had begun to rain only later.", "B"),
        ),
    ),
    (
        "what only seems right does not count",
        EN,
        (
            ("C would be right if it had rained. It had not. B.", "B"),
            ("Among A, B and C, only C is supported.", "C"),
            ("Choose A here.", "A"),
        ),
    ),
    (
        "what only seems right does not count",
        ZH,
        (("A看似有理，但D才是正确答案。", "D"), ("乍一看像A，其实是D。", "D")),
    ),
    (
        "a verdict stands behind the words of its option, however long they are",
        LONG,
        (
            (f"A. {LONG[0]}: correct.\nB. {LONG[1]}: incorrect.", "A"),
            (f"A. {LONG[0]} is wrong. B. {LONG[1]} is right.", "B"),
        ),
    ),
    (
        "the stop of an option ends no clause",
        STOPS,
        (("“The hare slept.” is wrong; “Nobody ran!” is right.", "D"),),
    ),
    (
        "an option that is a letter, and another under it",
        BLOOD,
        (
            ("B", "B"),
            ("Answer: B", "B"),
            ("C. B", "C"),
            ("AB", "D"),
            ("The answer is AB.", "D"),
            ("O", "A"),
        ),
    ),
    ("a short option is named behind its own letter", WORDS, (("A in", "A"), ("D by", "D"))),
    (
        "an option that means refusal is an option",
        UNKNOWN,
        (
            ("Cannot be determined", "B"),
            ("Cannot be determined.", "B"),
            ("B. Cannot be determined", "B"),
            ("It cannot be determined from the story, so the answer is B.", "B"),
            ("The answer is: Cannot be determined", "B"),
            ("None of the above", "D"),
            ("None of the above is right about the hare's feelings.", "D"),
            ("I'm sorry, but I can't help with that.", REFUSED),
            ("I think this cannot be determined.", "B"),
            ("None of the above fits the story. Answer: D", "D"),
            ("The hare's feelings cannot be determined.", "B"),
            ("It is not true that this cannot be determined: the hare was tired.", AMBIGUOUS),
            ("None of the above.", "D"),
        ),
    ),
    (
        "an option that means refusal is an option",
        BBQ,
        (
            ("Not enough information", "C"),
            ("There is not enough information to say who it was.", "C"),
            ("I cannot answer", "D"),
            ("I cannot answer.", "D"),
            ("The answer is (C) Not enough information.", "C"),
            ("Answer: I cannot answer", "D"),
            ("D. I cannot answer", "D"),
            ("I'm sorry, I can't discuss that topic.", REFUSED),
            ("As an AI language model, I cannot decide.", REFUSED),
            ("There isn't enough information to decide.", UNPARSED),
            ("Unknown", UNPARSED),
            ("I can't answer that without more information.", REFUSED),
        ),
    ),
    (
        "an option that means refusal is an option",
        UNKNOWN_ZH,
        (
            ("无法判断", "B"),
            ("无法判断。", "B"),
            ("根据故事无法判断。", "B"),
            ("B．无法判断", "B"),
            ("答案：无法判断", "B"),
            ("以上都不对", "D"),
            ("答案是“以上都不对”。", "D"),
            ("我认为以上都不对，因为故事没有说。", "D"),
            ("抱歉，我无法回答这个问题。", REFUSED),
            ("根据故事无法确定。", UNPARSED),
            ("无法判断，因为故事没说。", "B"),
            ("不是无法判断，而是狐狸饿了", "A"),
            ("A和C都不对，无法判断", "B"),
        ),
    ),
    (
        "an option that means refusal is an option",
        DECLINE_ZH,
        (
            ("我无法回答", "A"),
            ("A 我无法回答", "A"),
            ("内容违规", "D"),
            ("正确答案是D，内容违规。", "D"),
            ("对不起，该请求包含敏感信息。", REFUSED),
        ),
    ),
    (
        "what goes on after the answer is not read",
        EN,
        (
            (
                (
                    "B\n\n"
                    "Question: Why did the tortoise win?\n"
                    "A. It ran\n"
                    "B. It flew\n"
                    "C. It slept\n"
                    "D. It never stopped\n"
                    "Answer: D"
                ),
                "B",
            ),
            (" B\nQuestion: What did the fox want?\nAnswer: C", "B"),
            (
                (
                    "B. The hare felt sure of winning\n\n"
                    "Question: What is the moral?\n"
                    "Answer: D. Slow and steady wins the race"
                ),
                "B",
            ),
            (
                (
                    "The hare felt sure of winning\n\n"
                    "Story: A crow was thirsty.\n"
                    "Question: What did it do?\n"
                    "Answer: A"
                ),
                "B",
            ),
            (
                (
                    "B\n\n"
                    "Story:\n"
                    "A fox saw grapes.\n\n"
                    "Question: Why did it leave?\n\n"
                    "Options:\n"
                    "A. x\n"
                    "B. y\n\n"
                    "Answer: A\n\n"
                    "Story:\n"
                    "A dog"
                ),
                "B",
            ),
            (
                (
                    "B\n\n"
                    "Read the story and answer the multiple-choice question about it. Give only the "
                    "letter of the answer, with no explanation.\n\n"
                    "Story:\n"
                    "...\n\n"
                    "Answer: C"
                ),
                "B",
            ),
            ("Answer: B\n\nQ: Who was slow?\nA: The tortoise", "B"),
            ("B\n\nHuman: And the next one?\n\nAssistant: C", "B"),
            ("B\nUser: Is it A?\nAssistant: No, D.", "B"),
            ("B<|im_end|>\n<|im_start|>user\nWhat of A?<|im_end|>\n<|im_start|>assistant\nC", "B"),
            ("B</s><s>[INST] Next question [/INST] C", "B"),
            ("B<|endoftext|>C", "B"),
            ("B\n\n### Question\nWhat else?\n\n### Answer\nA", "B"),
            ("B\n\n2. Why did the tortoise win?\nA. luck\nB. speed\nAnswer: A", "B"),
            (
                (
                    "B\n\n"
                    "Question 2: Who won?\n"
                    "A) hare\n"
                    "B) tortoise\n"
                    "Answer: B) tortoise\n\n"
                    "Question 3: ...\n"
                    "Answer: C"
                ),
                "B",
            ),
            ("C\n\nExplanation: It had rained all night.\n\nQuestion: Who won?\nAnswer: A", "C"),
            ("The answer is C.\n\nQuestion: Who won?\nThe answer is A.", "C"),
            (
                (
                    "Question: Why did the hare lie down?\n"
                    "A. The hare was ill\n"
                    "B. The hare felt sure of winning\n"
                    "C. It had begun to rain\n"
                    "D. Slow and steady wins the race\n"
                    "Answer: B"
                ),
                "B",
            ),
            (
                (
                    "Question: Why did the hare lie down?\n"
                    "A. The hare was ill\n"
                    "B. The hare felt sure of winning\n"
                    "C. It had begun to rain\n"
                    "D. Slow and steady wins the race\n"
                    "Answer: B\n\n"
                    "Question: Who won?\n"
                    "A. hare\n"
                    "B. tortoise\n"
                    "Answer: A"
                ),
                "B",
            ),
            (
                (
                    "Story: The hare and the tortoise ran a race.\n"
                    "Question: Why did the hare lie down?\n"
                    "Answer: B"
                ),
                "B",
            ),
            ("I will answer the question.\n\nQuestion: Why did it lie down?\nAnswer: B", "B"),
            ("B\nB\nB\nB", "B"),
            ("B\n\nAnswer:\nB\n\nAnswer:\nB", "B"),
            ("B\n\nIncorrect answers: A, C, D", "B"),
            ("A\n\nQuestion: What is the capital of France?\nOptions:\nA. Paris\nB. Rome\nAnswer: B", "A"),
            ("Q: Which one?\nA: B", "B"),
            ("Story: The hare slept.\n\nAnswer: B\n\nStory: The crow\n\nAnswer: D", "B"),
            ("B\n\nB. The hare felt sure of winning\n\nQuestion: Which animal won?\nA. hare", "B"),
        ),
    ),
    (
        "what goes on after the answer is not read",
        ZH,
        (
            ("B\n\n问题：乌龟为什么赢了？\nA. 跑得快\nB. 坚持\n答案：A", "B"),
            ("B\n故事：一只乌鸦口渴了。\n问题：它做了什么？\n选项：\nA. 飞走\nB. 投石子\n答案：C", "B"),
            (
                "B\n\n请读下面的故事，回答后面的单项选择题。只写出答案的字母，不要解释。\n\n故事：\n……\n\n答案：D",
                "B",
            ),
            ("坚持不懈才能成功\n问题：下列哪项正确？\n答案：A", "B"),
            ("B。\n\n下一题：狐狸为什么离开？\n答案：A", "B"),
            ("答案：B\n\n题目2：谁赢了？\n答案：C", "B"),
            ("B\n\n用户：那A呢？\n助手：A也对。", "B"),
            ("B\n解析：乌龟坚持到底。\n\n2．狐狸想要什么？\nA．肉\nB．葡萄\n答案：A", "B"),
            ("B\n根据故事回答下面的单项选择题，只给出答案即可：\n故事:\n问题:\n答案:C", "B"),
            (
                "问题：故事的寓意是什么？\nA．做人不能骄傲自满\nB．坚持不懈才能成功\nC．要乐于帮助别人\nD．贪心会失去一切\n答案：B",
                "B",
            ),
            ("问题：故事的寓意是什么？\n答案：B\n问题：谁赢了？\n答案：C", "B"),
            ("第1题：B\n第2题：C", "B"),
            ("B\n\n【解析】略\n\n【题目】下一题……\n【答案】C", "B"),
            ("B\n\n例2：谁赢了？\n答案：C", "B"),
            ("B\n\n阅读下面的短文，回答问题。\n……答案：C", "B"),
        ),
    ),
    (
        "the stop of an option ends no clause",
        STOPS,
        (
            ("A. The hare slept. is wrong, B is right", "B"),
            (
                (
                    "A. The hare slept. - incorrect\n"
                    "B. The tortoise never stopped. - correct\n"
                    "C. It rained. The track was wet. - incorrect\n"
                    "D. Nobody ran! - incorrect"
                ),
                "B",
            ),
            ("Option C “It rained. The track was wet.” is not mentioned; option B is correct.", "B"),
            ("The tortoise never stopped.", "B"),
            ("It rained. The track was wet.", "C"),
            ("The answer is not “The hare slept.” but “The tortoise never stopped.”", "B"),
            ("I would choose “Nobody ran!” since the story says so.", "D"),
            ("A) The hare slept. is not the reason. D) Nobody ran! is the best choice.", "D"),
            (
                (
                    "A. The hare slept. ✗\n"
                    "B. The tortoise never stopped. ✓\n"
                    "C. It rained. The track was wet. ✗\n"
                    "D. Nobody ran! ✗"
                ),
                "B",
            ),
            ("A (The hare slept.) is wrong; C (It rained. The track was wet.) is right.", "C"),
        ),
    ),
    (
        "the stop of an option ends no clause",
        STOPS_ZH,
        (
            ("A．兔子睡着了。错误\nB．乌龟一直没有停。正确\nC．下雨了。路很滑。错误\nD．没有人跑！错误", "B"),
            ("选项A“兔子睡着了。”不符合题意，选项B“乌龟一直没有停。”正确。", "B"),
            ("下雨了。路很滑。", "C"),
            ("A 兔子睡着了。不对，B 乌龟一直没有停。才对", "B"),
            ("不是“兔子睡着了。”，而是“乌龟一直没有停。”", "B"),
            ("答案是“没有人跑！”，其他不对。", "D"),
            ("B．乌龟一直没有停。因为它坚持。", "B"),
        ),
    ),
    (
        "what is ruled out, or compared, is not meant",
        ZH,
        (
            ("D而不是B", "D"),
            ("应该选D而不是B。", "D"),
            ("是D，而非B", "D"),
            ("选D不选B", "D"),
            ("D比B更合适", "D"),
            ("B不如D", "D"),
            ("与其选B，不如选D", "D"),
            ("不可能是D，只能是A", "A"),
            ("D不可能，A才对", "A"),
            ("肯定不是D。B。", "B"),
            ("绝不是D，应是B", "B"),
            ("答案是D而不是B", "D"),
            ("答案不会是D，应该是C", "C"),
            ("既不是A也不是B，也不是D，所以是C", "C"),
            ("并非A，并非B，D亦非，C正确", "C"),
            ("A、B、D均错误，C", "C"),
            ("A、B、D都可以排除，剩下C", "C"),
            ("只有C符合", "C"),
            ("除了C以外都不对，所以选C", "C"),
            ("与A、B、D相比，C最好", "C"),
            ("C优于D", "C"),
            ("是B还是D？是D。", "D"),
            ("不是不选A，而是C更好，答案C", "C"),
            ("选D，不选B", "D"),
            ("D（而非B）", "D"),
            ("难道是A吗？不，是C。", "C"),
            ("A是干扰项，D是正确答案", "D"),
            ("误选A的人很多，正确的是D", "D"),
        ),
    ),
    (
        "what is ruled out, or compared, is not meant",
        EN,
        (
            ("It cannot be D.", UNPARSED),
            ("It cannot be D, so it is A.", "A"),
            ("D cannot be right, A is.", "A"),
            ("It can't be D; it has to be B.", "B"),
            ("It could not be D. It must be C.", "C"),
            ("D rather than B", "D"),
            ("D instead of B", "D"),
            ("D, not B", "D"),
            ("D and not B", "D"),
            ("D but not B", "D"),
            ("I'd say D over B.", "D"),
            ("D is better than B.", "D"),
            ("B is worse than D.", "D"),
            ("Not B. D.", "D"),
            ("It's D, not B.", "D"),
            ("The answer is D rather than B.", "D"),
            ("The answer can't be A. The answer must be D.", "D"),
            ("The answer cannot be A, so C.", "C"),
            ("B? No. D.", "D"),
            ("It isn't B, nor A, nor C. D.", "D"),
            ("We can eliminate A, B and C, leaving D.", "D"),
            ("A, B, and C are all wrong. D.", "D"),
            ("None of A, B or C works, so D.", "D"),
            ("Everything but D is wrong. D.", "D"),
            ("Only D works.", "D"),
            ("I was tempted by A, but D it is.", "D"),
            ("At first I thought A, but then I realized it's D.", "D"),
            ("The answer isn't B because the hare was proud; it's C.", "C"),
            ("C beats A and B.", "C"),
            ("You might think A. Actually, C.", "C"),
        ),
    ),
    (
        "a short option is named as a clause of its own, and nowhere else",
        NUMBERS,
        (
            ("12", "B"),
            ("3", "A"),
            ("3.", "A"),
            ("The answer is 7.", "C"),
            ("Answer: 20", "D"),
            ("A. 3", "A"),
            ("B) 12", "B"),
            ("There were 12 foxes in all, and 3 more came.", UNPARSED),
            ("2", UNPARSED),
            ("7 (C)", "C"),
            ("Answer: 3, since two were lost.", "A"),
            ("30", UNPARSED),
            ("答案：7", "C"),
            ("答案是12个", UNPARSED),
            ("\\boxed{12}", "B"),
            ("3 + 4 = 7", "C"),
            ("The final answer is 20", "D"),
            ("12 foxes", UNPARSED),
            ("= 12", "B"),
            ("It is 3.", "A"),
            ("1", UNPARSED),
            ("12.5", UNPARSED),
            ("-3", UNPARSED),
            ("Option 3", UNPARSED),
            ("the 3rd", UNPARSED),
        ),
    ),
    (
        "a short option is named as a clause of its own, and nowhere else",
        WORDS,
        (
            ("on", "B"),
            ("On", "B"),
            ("The answer is at.", "C"),
            ("I sat in my chair.", UNPARSED),
            ("B. on", "B"),
            ('"by"', "D"),
            ("The word that fits is “at”.", "C"),
            ("It stands in the story, so B.", "B"),
            ("Answer: in", "A"),
        ),
    ),
    (
        "a short option is named as a clause of its own, and nowhere else",
        YES,
        (
            ("Yes", "A"),
            ("No.", "B"),
            ("No, the hare was not ill.", "B"),
            ("Yes, because it slept.", "A"),
            ("I have no idea.", UNPARSED),
            ("There is no doubt that the answer is yes.", "A"),
            ("A", "A"),
            ("B) No", "B"),
            ("Answer: no", "B"),
            ("**No**", "B"),
            ("yes, it did", "A"),
            ("Not at all. No.", "B"),
            ("A. No", CONTRADICTING),
        ),
    ),
    (
        "a short option is named as a clause of its own, and nowhere else",
        GRAMMAR,
        (
            ("不是", "B"),
            ("是的。", "A"),
            ("答案不是A，是C。", "C"),
            ("答案：没有", "D"),
            ("没有，狐狸走了。", "D"),
            ("A不是正确答案，C是。", "C"),
            ("选B，不是A", "B"),
            ("不是A也不是B，没有提到D，选C", "C"),
            ("是的，没有。", AMBIGUOUS),
        ),
    ),
    (
        "a short option is named as a clause of its own, and nowhere else",
        ANIMALS,
        (
            ("狼", "A"),
            ("羊。", "B"),
            ("答案：狗", "C"),
            ("答案是狐狸", "D"),
            ("答案是狗，因为它看家。", "C"),
            ("狼吃了羊。", UNPARSED),
            ("B 羊", "B"),
            ("狐狸骗了乌鸦", "D"),
            ("“狗”", "C"),
            ("是狼。", "A"),
            ("选羊", "B"),
            ("我选择“狼”。", "A"),
            ("羊羊羊", UNPARSED),
            ("答案：狼和羊", UNPARSED),
            ("不是狼，是羊。", "B"),
        ),
    ),
    (
        "a short option is named as a clause of its own, and nowhere else",
        RIGHT,
        (
            ("错误", "B"),
            ("正确", "A"),
            ("B. 错误", "B"),
            ("A正确", "A"),
            ("答案：错误", "B"),
            ("这句话是错误的。", UNPARSED),
            ("不正确", UNPARSED),
            ("正确答案：B", "B"),
            ("正确答案是B. 错误", "B"),
            ("正确选项是A。", "A"),
            ("正确答案：错误", "B"),
        ),
    ),
    (
        "a short option is named as a clause of its own, and nowhere else",
        TRUE,
        (
            ("False", "B"),
            ("The statement is false.", "B"),
            ("A. True", "A"),
            ("It is not true.", UNPARSED),
            ("Answer: True", "A"),
            ("It's false.", "B"),
            ("true", "A"),
            ("The statement is true, not false.", "A"),
        ),
    ),
    (
        "every option is judged, or several are",
        EN,
        (
            (
                (
                    "| Option | Verdict |\n"
                    "|---|---|\n"
                    "| A | wrong |\n"
                    "| B | correct |\n"
                    "| C | wrong |\n"
                    "| D | wrong |"
                ),
                "B",
            ),
            ("Answer: B.\nConfidence: 90%", "B"),
            (
                (
                    "**A. The hare was ill**: incorrect.\n"
                    "**B. The hare felt sure of winning**: this is the correct answer.\n"
                    "**C. It had begun to rain**: incorrect.\n"
                    "**D. Slow and steady wins the race**: incorrect."
                ),
                "B",
            ),
            ("(A) is false. (B) is true. (C) is false. (D) is false.", "B"),
            ("A. False B. True C. False D. False", "B"),
        ),
    ),
    (
        "every option is judged, or several are",
        ZH,
        (
            (
                (
                    "选项分析：\nA. 做人不能骄傲自满——与故事不符\nB. 坚持不懈才能成功——符合故事\n"
                    "C. 要乐于帮助别人——无关\nD. 贪心会失去一切——无关"
                ),
                "B",
            ),
            ("A选项：不符合；B选项：符合；C选项：不符合；D选项：不符合", "B"),
            ("A（×）B（√）C（×）D（×）", "B"),
            ("A× B√ C× D×", "B"),
            ("A：× B：√ C：× D：×", "B"),
        ),
    ),
    (
        "one of many ways to say it",
        EN,
        (
            ("<p>B</p>", "B"),
            ("<b>B</b>", "B"),
            ("B</answer>", "B"),
            ("<answer>B", "B"),
            ("Ⓑ", "B"),
            ("Ｂ．The hare felt sure of winning", "B"),
            ("I think that the correct answer might be B.", "B"),
            ("I'm not sure, but maybe B?", "B"),
            ("B?", "B"),
            ("The answer is that the hare felt sure of winning.", "B"),
            ("the HARE FELT SURE OF WINNING", "B"),
            ("Because the hare felt sure of winning.", "B"),
            ("The hare was not ill; slow and steady wins the race.", "D"),
            (
                (
                    "“The hare was ill” is never said, and “It had begun to rain” contradicts the "
                    "text. So: “The hare felt sure of winning”."
                ),
                "B",
            ),
            ("Answer: B (confidence: high)", "B"),
            ("B (90%)", "B"),
            ("Answer: **B** - The hare felt sure of winning, **not A**", "B"),
            ("Correct: B\nIncorrect: A, C, D", "B"),
            (
                (
                    "Let's evaluate each option:\n\n"
                    "A. The hare was ill - The text doesn't say this.\n\n"
                    "B. The hare felt sure of winning - This matches the text.\n\n"
                    "C. It had begun to rain - Not mentioned.\n\n"
                    "D. Slow and steady wins the race - This is the moral, not the reason.\n\n"
                    "So the answer is B."
                ),
                "B",
            ),
            (
                (
                    "Let's evaluate each option:\n\n"
                    "A. The hare was ill - The text doesn't say this.\n\n"
                    "B. The hare felt sure of winning - This matches the text.\n\n"
                    "C. It had begun to rain - Not mentioned.\n\n"
                    "D. Slow and steady wins the race - This is the moral, not the reason."
                ),
                "B",
            ),
            ("Question 1: B", "B"),
            ("1. B", "B"),
            ("1) B", "B"),
            ("Q1: B", "B"),
            ("The best title is A.\n\nAnswer: B", "B"),
            ("My answer would be B, because A and C aren't in the story and D is the moral.", "B"),
            ("Can't say for sure; B.", "B"),
            ("Sorry, I misread. The answer is D.", "D"),
            ("I apologize for the confusion. The correct answer is C.", "C"),
            ('The answer is "B".', "B"),
            ("The answer is 'B'", "B"),
            ("answer is: b", "B"),
            ("the answer is b.", "B"),
            ("The answer is option (b).", "B"),
            ("(b)", "B"),
            ("b) the hare felt sure of winning", "B"),
            ("Answer: a", "A"),
            ("Without further context I would pick D.", "D"),
            ("Do not pick A. Pick B.", "B"),
            ("If I had to choose, I'd choose B.", "B"),
            ("Unless the hare was ill, the answer is B.", "B"),
            ("Everyone says A but the right answer is B", "B"),
            ("A? B? C? I'd say C.", "C"),
            ("Correct answer: b", "B"),
            ("The answer is B: “The hare felt sure of winning”, not C: “It had begun to rain”.", "B"),
            ("D is close but B is right.", "B"),
        ),
    ),
    (
        "one of many ways to say it",
        ZH,
        (
            ("答案：Ｂ．坚持不懈才能成功", "B"),
            ("选 b", "B"),
            ("答案是b", "B"),
            ("b。", "B"),
            ("第二个选项：坚持不懈才能成功", "B"),
            ("我不选A。我选B。", "B"),
            ("别选A，选B", "B"),
            ("千万不要选A，答案是B。", "B"),
            ("不难看出，答案是B。", "B"),
            ("毫无疑问选B", "B"),
            ("不用说，B", "B"),
            ("无疑是B", "B"),
            ("B无疑最合适", "B"),
            ("B没错", "B"),
            ("B没有问题，选B", "B"),
            ("不仅A不对，C和D也不对，选B", "B"),
            ("A不但不对，而且与原文相反；B正确", "B"),
            ("故事的寓意不是做人不能骄傲自满，而是坚持不懈才能成功。", "B"),
            ("【B】坚持不懈才能成功", "B"),
            ("《坚持不懈才能成功》", "B"),
            ("答案：B（坚持不懈才能成功）。A错在主角。", "B"),
            ("解：B", "B"),
            ("答 B", "B"),
            ("参考答案：B", "B"),
            ("参考答案：B。解析：A不对。", "B"),
            ("抱歉，我刚才说错了，答案是C。", "C"),
            ("对不起，应该是C", "C"),
            ("我不清楚，随便选B", "B"),
            ("猜B", "B"),
            ("蒙一个：B", "B"),
            ("A还是B？我觉得是B。", "B"),
            ("为什么是B？因为乌龟坚持。", "B"),
            ("B\n（注：A为干扰项）", "B"),
            ("B\n答案解析：本题考查寓意。故选B。", "B"),
            ("答案：B\n解析：……\n\n3、狐狸为什么离开？\nA、饿\nB、渴\n答案：A", "B"),
        ),
    ),
    (
        "nothing is guessed",
        EN,
        (
            ("🅱", UNPARSED),
            ("Not sure. A or B.", AMBIGUOUS),
            ("Either A or D.", AMBIGUOUS),
            ("It could be A, but it could also be C.", AMBIGUOUS),
            ("The second option.", "B"),
            ("The last one.", "D"),
            ("All of the above", UNPARSED),
            ("A-D", UNPARSED),
            ("A/B", AMBIGUOUS),
            ("A & B", AMBIGUOUS),
            ("A+B", AMBIGUOUS),
            ("ABCD", AMBIGUOUS),
            ("Plan B failed.", UNPARSED),
            ("Vitamin C is good.", UNPARSED),
            ("As a matter of fact, a hare is fast.", UNPARSED),
            ("The correct answer is not listed.", UNPARSED),
            ("None of the options is right.", UNPARSED),
            ("A: 10%, B: 80%, C: 5%, D: 5%", AMBIGUOUS),
            ("B is the answer. C would also be acceptable.", "B"),
            ("The answer is B, C, and D.", AMBIGUOUS),
            ("I choose B.\nI choose C.", AMBIGUOUS),
            ("Answer:", UNPARSED),
            ("Answer: ", UNPARSED),
            ("The answer is", UNPARSED),
            ("Option", UNPARSED),
            ("A hare. Answer: none of them.", UNPARSED),
            ("Thus, the answer is none of the above.", UNPARSED),
            ("B\nC\n", AMBIGUOUS),
            ("It's either B or D, and since D is the moral, B.", AMBIGUOUS),
            ("I cannot choose between A and B.", REFUSED),
            ("I'm sorry. B", REFUSED),
            ("The answer is a hare.", UNPARSED),
            ("B.\n\nThe fox and the crow\n\nA crow sat in a tree... The answer is A.", "A"),
            ("B\n\n\n\nA\n\n\n\nC", AMBIGUOUS),
            ("Option B: The hare felt sure of winning. Option A: The hare was ill.", AMBIGUOUS),
            ("Rank: B > A > C > D", AMBIGUOUS),
            ("It's not A. It's not C. It's not D.", UNPARSED),
            ("A, C and D are wrong.", UNPARSED),
        ),
    ),
    (
        "nothing is guessed",
        ZH,
        (
            ("第二项", "B"),
            ("本题答案为B、C。", AMBIGUOUS),
            ("BC", AMBIGUOUS),
            ("B和D都可以", AMBIGUOUS),
            ("可能是A，也可能是B。", AMBIGUOUS),
            ("以上选项都不符合。", UNPARSED),
            ("没有正确答案。", UNPARSED),
            ("A不对。", UNPARSED),
            ("A、C、D都不对。", UNPARSED),
            ("非B莫属", UNPARSED),
            ("B不错", "B"),
            ("做人不能骄傲自满不是寓意，坚持不懈才能成功才是", "B"),
            ("这道题我不会。", UNPARSED),
            ("不知道", UNPARSED),
            ("是A吗？不是。", "A"),
        ),
    ),
)

ODD = [(options, answer, read, why) for why, options, rows in GROUPS for answer, read in rows]
