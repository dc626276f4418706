"""What can be wrong with a file, in Chinese, for commands that run where there is no Django.

The site says the same from its catalogue; a test compares the two.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from parable.formats.errors import ErrorCode

CHINESE: Final[Mapping[ErrorCode, str]] = MappingProxyType(
    {
        ErrorCode.UNREADABLE_FILE: "文件打不开：%(reason)s。",
        ErrorCode.FILE_TOO_LARGE: "文件有 %(size)d 字节，最多读 %(limit)d 字节。",
        ErrorCode.EMPTY_FILE: "文件是空的。",
        ErrorCode.UTF16: (
            "文件的编码是 UTF-16 或 UTF-32，不是 UTF-8。请另存为 UTF-8"
            "（Excel 里选“CSV UTF-8”，记事本里编码选 UTF-8）。"
        ),
        ErrorCode.IS_SPREADSHEET: "这里要文本，文件却是电子表格；请按表格读取。",
        ErrorCode.NOT_UTF8: (
            "这里有一个字节不是 UTF-8 文本（0x%(byte)s）。文件若存为 GBK 或其他编码，请另存为 UTF-8。"
        ),
        ErrorCode.UNKNOWN_FORMAT: (
            "不是认得的格式：题目的 JSON 列表，JSON 行，或第一行写明列名的表格（XLSX、CSV）。"
        ),
        ErrorCode.WRONG_SHAPE: "文件里的 JSON 结构不对：应是一个由对象组成的列表，或每行一个对象。",
        ErrorCode.UNCLOSED_LIST: "列表没有结尾，文件可能被截断（第 %(line)d 行）。",
        ErrorCode.TEXT_AFTER_LIST: "列表结束以后还有文字（第 %(line)d 行）。",
        ErrorCode.TOO_MANY_ROWS: "文件超过 %(limit)d 行，请拆分。",
        ErrorCode.TOO_MANY_ERRORS: "错误超过 %(limit)d 处，其余不再列出。",
        ErrorCode.NOT_JSON: "不是合法的 JSON（第 %(line)d 行第 %(column)d 列，“%(near)s”附近）。",
        ErrorCode.NOT_AN_OBJECT: "这里应是花括号里的对象，而不是“%(found)s”。",
        ErrorCode.TOO_DEEP: "这个值嵌套超过 %(limit)d 层。",
        ErrorCode.TOO_MANY_VALUES: "这一行的值超过 %(limit)d 个。",
        ErrorCode.DUPLICATE_FIELD: "同一个对象里，这个字段写了两次。",
        ErrorCode.NOT_A_NUMBER: "JSON 里没有“%(found)s”这样的值。",
        ErrorCode.NUMBER_TOO_LONG: "这个数字超过 %(limit)d 位。",
        ErrorCode.NOT_XLSX: "这个 XLSX 文件读不了。请用 Excel 打开，再保存一次。",
        ErrorCode.OLD_EXCEL: "这是旧式 Excel 文件（.xls），或者加了密码。请另存为不带密码的 XLSX。",
        ErrorCode.XLSX_TOO_LARGE: "这个表格解压后超过 %(limit)d 字节。",
        ErrorCode.BROKEN_CSV: "这一行的引号不成对。",
        ErrorCode.UNCLOSED_QUOTE: "这一行里有引号没有闭合。",
        ErrorCode.MISSING_COLUMN: "表格没有“%(column)s”列。",
        ErrorCode.DUPLICATE_COLUMN: "表格里这一列出现了两次。",
        ErrorCode.TOO_MANY_COLUMNS: "表格超过 %(limit)d 列。",
        ErrorCode.EXTRA_CELLS: "这一行的单元格比表格的列还多。",
        ErrorCode.CELL_IS_DATE: "表格软件把这一格变成了日期。请把格式设为文本，再输入一遍。",
        ErrorCode.CELL_IS_ERROR: "这一格是表格错误 %(found)s。",
        ErrorCode.MISSING: "缺少这个字段，或者是空的。",
        ErrorCode.NOT_TEXT: "这里应是文字，而不是“%(found)s”。",
        ErrorCode.NOT_A_LIST: "这里应是列表，而不是“%(found)s”。",
        ErrorCode.NOT_WHOLE_NUMBER: "这里应是整数，而不是“%(found)s”。",
        ErrorCode.TOO_LONG: "文字有 %(length)d 字，最多 %(limit)d 字。",
        ErrorCode.TOO_MANY_ENTRIES: "列表有 %(count)d 项，最多 %(limit)d 项。",
        ErrorCode.CONTROL_CHARACTER: "文字里有看不见的控制字符 %(character)s。",
        ErrorCode.LONE_SURROGATE: "文字里有 %(character)s，那是半个字符。",
        ErrorCode.LINE_BREAK: "这里的文字不能换行。",
        ErrorCode.UNKNOWN_VALUE: "“%(found)s”不在这些之中：%(allowed)s。",
        ErrorCode.UNKNOWN_TYPE: "“%(found)s”不是已知的常识类型。",
        ErrorCode.TOO_FEW_OPTIONS: "一道题至少要有 %(limit)d 个选项，这道题有 %(count)d 个。",
        ErrorCode.TOO_MANY_OPTIONS: "一道题最多有 %(limit)d 个选项，这道题有 %(count)d 个。",
        ErrorCode.EQUAL_OPTIONS: "选项 %(first)s 和 %(second)s 相同。",
        ErrorCode.OPTION_LETTERS: "选项前的字母次序不对：%(found)s。",
        ErrorCode.TWO_KEYS: "答案写了不止一个选项：“%(found)s”。",
        ErrorCode.KEY_OUTSIDE: "答案“%(found)s”不是 %(count)d 个选项中的任何一个。",
        ErrorCode.KEY_ON_EMPTY: "答案“%(found)s”所指的选项是空的。",
        ErrorCode.BAD_ANSWER: "“%(found)s”不是选项；这里要一个字母。",
        ErrorCode.ANSWER_MISMATCH: "答案与答案字母“%(found)s”所指的选项不同。",
        ErrorCode.DUPLICATE_ID: "第 %(first_row)d 行编号相同，文字不同。",
        ErrorCode.NOT_A_RELEASE: "文件夹里没有发布版本：缺少 dev/ 和 test/ 以及其中的 moral.jsonl 等文件。",
        ErrorCode.OTHER_SPLIT: "题目自称属于“%(found)s”，却放在“%(split)s”里。",
        ErrorCode.ID_TWICE: "%(file)s 第 %(first_row)d 行已有同样的编号。",
        ErrorCode.UNKNOWN_ITEM: "发布版本里没有题目“%(found)s”。",
        ErrorCode.ANSWER_DIFFERS: "发布版本自带的答案是 %(found)s。",
        ErrorCode.ANSWERED_TWICE: "该模型对此题同一次作答已有不同的记录：%(file)s 第 %(first_row)d 行。",
        ErrorCode.BAD_ORDER: "“%(found)s”不是选项的顺序：%(wanted)s 应各出现一次。",
    }
)
