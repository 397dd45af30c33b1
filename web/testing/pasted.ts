// What programs put on the clipboard, shortened, and what it means.
export const pasted: Record<string, { html: string; means: string }> = {
  Word: {
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta name=Generator content="Microsoft Word 15"><style><!-- p.MsoNormal {margin:0cm; font-size:11.0pt;}
--></style>
<!--[if gte mso 9]><xml><w:WordDocument></w:WordDocument></xml><![endif]--></head>
<body lang=EN-GB><!--StartFragment-->
<p class=MsoTitle>Opening hours<o:p></o:p></p>
<h1 style='margin-top:12.0pt'><b><span style='font-family:Calibri'>Summer<o:p></o:p></span></b></h1>
<p class=MsoNormal style='text-align:justify'><b>From June</b> the <i>shops</i> are <span
style='color:red'>open</span>
longer.<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>·<span
style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>Berlin<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>o<span>&nbsp; </span></span><![endif]>Mitte<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='mso-list:Ignore'>·<span>&nbsp;</span></span><![endif]>Hamburg<o:p></o:p></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><![if !supportLists]><span
style='mso-list:Ignore'>1.<span>&nbsp;</span></span><![endif]>Ask<o:p></o:p></p>
<table class=MsoTableGrid border=1><tr style='height:10pt'><td width=100 style='border:solid'><p
class=MsoNormal>Mo<o:p></o:p></p></td>
<td width=100><p class=MsoNormal>9–20<o:p></o:p></p></td></tr></table>
<!--EndFragment--></body></html>`,
    means:
      '<h2>Opening hours</h2><h2>Summer</h2><p><strong>From June</strong> the <em>shops</em> are open longer.</p>' +
      '<ul><li>Berlin<ul><li>Mitte</li></ul></li><li>Hamburg</li></ul><ol><li>Ask</li></ol>' +
      '<table><tbody><tr><td>Mo</td><td>9–20</td></tr></tbody></table>',
  },
  'Google Docs': {
    html: `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1a2b"><h2 dir="ltr"
style="line-height:1.38;"><span
style="font-size:16pt;font-family:Arial;color:#000000;font-weight:400;">Travel</span></h2>
<p dir="ltr" style="line-height:1.38;"><span style="font-size:11pt;font-weight:700;">Book</span><span
style="font-size:11pt;font-weight:400;"> early, </span><span
style="font-style:italic;font-weight:400">please</span><span>: </span><a
href="https://travel.example/" style="text-decoration:none;"><span
style="color:#1155cc;text-decoration:underline;">here</span></a></p><br />
<ul style="margin-top:0;"><li dir="ltr" aria-level="1" style="list-style-type:disc;"><p dir="ltr"
role="presentation"><span style="font-weight:400;">Train</span></p></li></ul></b><br
class="Apple-interchange-newline">`,
    means:
      '<h2>Travel</h2><p><strong>Book</strong> early, <em>please</em>: ' +
      '<a href="https://travel.example/">here</a></p>' +
      '<ul><li>Train</li></ul>',
  },
  'a page of the web': {
    html: `<div class="post" onclick="x()"><h1 class="title">News</h1><script>alert(1)</script><div
style="color:blue">First
part</div><p>Second <a href="javascript:alert(1)">part</a> <img src="https://tracker.example/1.gif"></p><p> </p>
<pre class="hl"><code><span class="k">if</span> (a &lt; b)</code></pre><button>Share</button></div>`,
    means: '<h2>News</h2><p>First part</p><p>Second part</p><pre><code>if (a &lt; b)</code></pre><p>Share</p>',
  },
};
