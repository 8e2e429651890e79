"""What stands on every page: headings, labels, and a few sentences for whoever sees one for the first time."""

from __future__ import annotations

from chunkscope.language import Text, say

TEMPLATE_WORDS: dict[str, Text] = {
    "skip": say("To the settings, one by one"),
    "intro": say(
        "Before documents are searched, they are cut into chunks. What a cut goes through can no longer be found "
        "whole: an answer in two halves, a table row without its header. This page shows what each way and size of "
        "cutting does to these documents."
    ),
    "advice": say("What to do"),
    "settings": say("The settings that matter"),
    "choose_row": say("Choose a row, or a point in a picture, and everything below shows that setting."),
    "figures": say("Pictures"),
    "look": say("Look at a setting"),
    "way": say("Way of cutting"),
    "size": say("Size"),
    "figures_of": say("Figures of this setting"),
    "questions": say("Questions"),
    "search": say("Search"),
    "filter": say("Show"),
    "documents": say("Documents, worst first"),
    "document": say("Document"),
    "choose_document": say("Choose a question or a document, and its text appears here with its chunks."),
    "legend": say("What the colours mean"),
    "legend_chunk": say("chunks, in turn"),
    "legend_overlap": say("in two chunks: the overlap"),
    "legend_evidence": say("the passage that answers"),
    "legend_lost": say("what is cut in two"),
    "legend_other": say("what another question needs"),
    "legend_cut": say("a cut, with the number of the chunk that begins there"),
    "every": say("All settings"),
    "n_more": say("further settings are left out here; the JSON has them all."),
    "measured": say("How it was measured"),
    "rules": say("How it is counted"),
    "no_script": say("Without its script the page shows the advice, the tables and the pictures, but no document."),
    "made": say("Made by chunkscope; nothing in this page is sent or fetched."),
    "advised": say("advised"),
}
