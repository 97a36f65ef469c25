r"""The formulas of the paper's items in TeX: as printed, and as they should read where they need a change.

The words come from the ledger (`lmlir.ledger`); only what a formula says better than words stands here. Items that are no
formula (tables of figures, pictures, the protocol) have none.
"""

PRINTED = {
    "Definition 1": r"A_s = \{x : (o_s - x)^T (o_s - x) \le r_s^2\}",
    "Definition 2": r"B = U - \bigcup_s A_s",
    "Definition 3": r"l(\overline{x_i x_j}; M(A_s)) = D_{M(A_s)}(x_i, x_j)",
    "Definition 4": r"l(\overline{x_i x_j}; M(B)) = D_{M(B)}(x_i, x_j)",
    "Definition 5": r"A_s \cap \overline{x_i x_j} \in \{\emptyset,\ \{t\},\ \overline{p q}\}",
    "Definition 6": r"l(A_s \cap \overline{x_i x_j}; M(A_s)) = D_{M(A_s)}(p, q)",
    "Definition 7": r"D(x_i, x_j) = l(B \cap \overline{x_i x_j}; M(B)) "
    r"+ \sum_s l(A_s \cap \overline{x_i x_j}; M(A_s))",
    "Definition 8": r"\gamma = \lambda_q - \lambda_p",
    "Definition 9": r"\operatorname{Lip}(f) = \sup_{x \ne y} \frac{|f(x) - f(y)|}{\rho(x, y)}",
    "Proposition 1": r"l(A_s \cap \overline{x_i x_j}; M(A_s)) = \gamma\, D_{M(A_s)}(x_i, x_j)",
    "Proposition 2": r"D = \big(1 - \textstyle\sum_s \gamma_s\big) D_{M(B)} + \sum_s \gamma_s D_{M(A_s)}",
    "Proposition 3": r"\operatorname{Lip}(f \pm g) \le L_f + L_g, \quad \operatorname{Lip}(a f) \le |a|\, L_f",
    "Proposition 4": r"\operatorname{Lip}(\operatorname{sumKmin} f_k) \le K \max_k L_k",
    "Lemma 1": r"\operatorname{Lip}(f) \le 2 \Big(\|M(B)\|_F + \textstyle\sum_s \|M(A_s)\|_F\Big)",
    "Corollary 1": r"c = \Big(16 \big(\textstyle\sum_s \|M(A_s)\|_F + \|M(B)\|_F\big) "
    r"\operatorname{diam}\Big)^{\operatorname{ddim} + 1}",
    "Equation (1)": r"(o_s - x)^T (o_s - x) \le r_s^2",
    "Equation (2)": r"D_{M(A_s)}(x_i, x_j) = \sqrt{(x_i - x_j)^T M(A_s) (x_i - x_j)}",
    "Equation (3)": r"B \cap \overline{x_i x_j} = \overline{x_i x_j} - \bigcup_s (A_s \cap \overline{x_i x_j})",
    "Equation (4)": r"l(B \cap \overline{x_i x_j}; M(B)) = l(\overline{x_i x_j}; M(B)) - "
    r"l\big(\textstyle\bigcup_s (A_s \cap \overline{x_i x_j}); M(B)\big)",
    "Equation (5)": r"l(\overline{x_i x_j}) = l(B \cap \overline{x_i x_j}; "
    r"M(B)) + \sum_s l(A_s \cap \overline{x_i x_j}; M(A_s))",
    "Equation (6)": r"\sqrt{(q - p)^T M(A_s) (q - p)} = \gamma \sqrt{(x_i - x_j)^T M(A_s) (x_i - x_j)}",
    "Equation (7)": r"\|x_i + \lambda (x_j - x_i) - o_s\|_2^2 = r_s^2",
    "Equation (8)": r"D = \gamma_b D_{M(B)} + \sum_s \gamma_s D_{M(A_s)}, \quad \gamma_b = 1 - \sum_s \gamma_s",
    "Equation (9)": r"D = \gamma_b D_{M(B)} + \sum_s \gamma_s D_{M(A_s)}",
    "Equation (10)": r"f(x) = \tfrac1K \operatorname{sumKmin} D_{set}(x, X^-) "
    r"- \tfrac1K \operatorname{sumKmin} D_{set}(x, X^+)",
    "Equation (11)": r"\text{error} \le \frac{k}{n} + \sqrt{\tfrac2n \big(c \log_2 "
    r"\tfrac{34 e n}{c} \log_2 (578 n) + \log_2 \tfrac4\delta\big)}",
    "Equation (12)": r"D(x_m, x_n) \ge 1 + C + \xi_{mn}",
    "Table 1": r"\Delta = b^2 - 4 a c",
    "Table 2": r"\lambda_p = \min(\max(\lambda_u, 0), 1), \quad \lambda_q = \min(\max(\lambda_v, 0), 1)",
    "Table 3": r"\frac{\partial \gamma}{\partial r} = 4 \Delta^{-1/2} "
    r"r \ \text{(row 3)}, \quad 0 \ \text{where}\ \Delta = 0",
    "Section 3.1, step 2": r"\lambda_p = \min(\max(\lambda_u, 0), 1)",
    "Section 3.2, gamma_b": r"\gamma_b = \max\big(1 - \textstyle\sum_s \gamma_s, 0\big), \ \text{slightly different}",
    "Section 4.1, 1-NN": r"f(x) = \min D_{set}(x, X^-) - \min D_{set}(x, X^+)",
    "Section 4.1, D_set": r"D_{set}(x, X) = \{D(x, x_k) : x_k \in X\}",
    "Section 4.1, sumKmin": r"\operatorname{sumKmin}: \ \text{the sum of the } K \text{ smallest of a set}",
    "Section 4.1, sign of f": r"\operatorname{sign} f(x)",
    "Section 5.2, gradient descent": r"\Theta \leftarrow \Theta - \beta\, \partial g / \partial \Theta",
    "Section 5.2, objective g": r"g = \tfrac1{N_2} [1 + C - D]_+ + \tfrac1{N_1} [D - (1 - C)]_+ + \alpha \|M\|_F",
    "Section 5.2, gradient of g": r"\partial g = \tfrac1{N_1} \textstyle\sum \partial "
    r"D_{ij} + \tfrac1{N_2} \sum \partial D_{mn} + \dots",
    "Section 5.2, shrinkage": r"\frac{\alpha M}{2 \|M\|}",
    "Section 5.2, dD/dM(B)": r"\frac{\gamma_b}{2} \frac{d d^T}{D_{M(B)}}",
    "Section 5.2, dD/dM(A_s)": r"\frac{\gamma_s}{2} \frac{d d^T}{D_{M(A_s)}}",
    "Section 5.2, dD/do_s": r"\big(D_{M(A_s)} + \mathbf 1[\dots] D_{M(B)}\big) "
    r"\frac{\partial \gamma_s}{\partial o_s}",
    "Section 5.2, dD/dr_s": r"\big(D_{M(A_s)} + \mathbf 1[\dots] D_{M(B)}\big) "
    r"\frac{\partial \gamma_s}{\partial r_s}",
    "Section 5.2, step 3": r"M(A_s) = I + 0.1 \operatorname{diag}(\bar h)",
}
"""What the paper prints, or the central formula of what it prints."""

TRUE = {
    "Proposition 4": r"\operatorname{Lip}(\operatorname{sumKmin} f_k) \le \text{sum of the } K \text{ largest } L_k",
    "Lemma 1": r"|D(x, z) - D(y, z)| \le \Lambda e + \sum_s \kappa_s \tau_s(e), \quad "
    r"e = |x - y|, \quad \tau_s(e) = 2 \sqrt{e (2 r_s - e)}\ (e \le r_s)",
    "Section 3.2, gamma_b": r"\gamma_b = 1 - \big|\textstyle\bigcup_s [\lambda_p, \lambda_q]_s\big|",
    "Section 4.1, D_set": r"D_{set}(x, X) = \big(D(x, x_k)\big)_{x_k \in X}, \ \text{with repetitions}",
    "Equation (12)": r"D(x_m, x_n) \ge 1 + C - \xi_{mn}",
    "Table 1": r"\Delta = 4 a (r^2 - h^2)",
    "Section 5.2, objective g": r"g = \tfrac1{N_2} \textstyle\sum [1 + C - D]_+ + "
    r"\tfrac1{N_1} \sum [D - (1 - C)]_+ + \alpha \sum \|M\|_F",
    "Section 5.2, gradient of g": r"\partial g = \tfrac1{N_1} \textstyle\sum \partial "
    r"D_{ij} - \tfrac1{N_2} \sum \partial D_{mn} + \dots",
    "Section 5.2, shrinkage": r"\frac{\alpha M}{\|M\|_F}",
    "Section 5.2, dD/do_s": r"\big(D_{M(A_s)} - \mathbf 1[\dots] D_{M(B)}\big) "
    r"\frac{\partial \gamma_s}{\partial o_s}",
    "Section 5.2, dD/dr_s": r"\big(D_{M(A_s)} - \mathbf 1[\dots] D_{M(B)}\big) "
    r"\frac{\partial \gamma_s}{\partial r_s}",
}
"""What is true in its place, for the items that a formula corrects."""
