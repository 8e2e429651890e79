"""日本語。左が英語のひな型、右がその日本語。差し込む名前は同じで、並びは変えてよい。cp932 にない文字は使わない。

Japanese: the template of each English one, with the same placeholders in any order. Only characters of cp932, which
Japanese consoles can show.
"""

CATALOGUE = {
    # chunkscope/cli/console.py
    "warning: {text}": "警告: {text}",
    "warning: {n:,} more like these (-v shows them)": "警告: 同じような警告がほかに {n:,} 件あります（-v ですべて表示）",
}
